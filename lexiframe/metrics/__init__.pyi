"""Metrics: definitions as formulas, and the scores computed from them."""

"Kinds: of metrics, and what they compute with"
from .kinds.metric import Metric as Metric
from .kinds.graded import GradedMetric as GradedMetric
from .kinds.recall_level import RecallLevelMetric as RecallLevelMetric
from .kinds.search_length import SearchLength as SearchLength
from .kinds.function_metric import metric_of as metric_of
from .kinds import subtopic_metrics as subtopic_metrics
from .kinds import order_metrics as order_metrics
from .kinds import derived as derived
from .kinds import metric_parameters as metric_parameters
from .kinds import exposures as exposures
from .kinds import weights as weights
from .bounds import Bounds as Bounds

"The catalogue: all built-in metrics, their names elsewhere, and where they come from"
from . import catalogues as catalogues
from . import notation as notation
from .notation import each as each

"Scores: values of runs and requests, and what they need"
from .scored import scores as scores
from .scored import values_of as values_of
from .scored import as_list as as_list
from .scored import as_metric as as_metric
from .scored import unique_by_name as unique_by_name
from .value_arrays import Values as Values
from .value_arrays import directions as directions
from .rankings import Rankings as Rankings
from . import needed as needed
from . import coverages as coverages

"Added by features: measures that are loaded when one asks for them by name"
from .catalogues.sets import (
    SetP as SetP,
    SetR as SetR,
    SetF as SetF,
    SetAP as SetAP,
    utility as utility,
    F1 as F1,
    relative_P as relative_P,
    IPrec as IPrec,
    eleven_point_avg as eleven_point_avg,
    Rprec_mult as Rprec_mult,
    ndcg_rel as ndcg_rel,
    Rndcg as Rndcg,
    G as G,
    binG as binG,
    Q as Q,
    WSS as WSS,
)
from .catalogues.user_models import (
    SDCG as SDCG,
    BPM as BPM,
    INST as INST,
    INSQ as INSQ,
    NERR8 as NERR8,
    NERR9 as NERR9,
    NERR10 as NERR10,
    NERR11 as NERR11,
    Compat as Compat,
    Accuracy as Accuracy,
)
from ..collection.beyond.measures import (
    Novelty as Novelty,
    ILD as ILD,
    CategoryEntropy as CategoryEntropy,
    Miscalibration as Miscalibration,
    Serendipity as Serendipity,
    ARP as ARP,
    PopularityLift as PopularityLift,
    APLT as APLT,
    Coverage as Coverage,
    Gini as Gini,
    Entropy as Entropy,
    Exposure as Exposure,
)
from ..collection.nuggets.measures import (
    NuggetRecall as NuggetRecall,
    CitationSupport as CitationSupport,
    CitationRelevance as CitationRelevance,
    SentenceSupport as SentenceSupport,
    SupportPrecision as SupportPrecision,
    SupportRecall as SupportRecall,
    ReportF1 as ReportF1,
    NuggetPreference as NuggetPreference,
    all_score as all_score,
    strict_all_score as strict_all_score,
    vital_score as vital_score,
    strict_vital_score as strict_vital_score,
    nugget_coverage as nugget_coverage,
    nugget_coverage_weighted as nugget_coverage_weighted,
    citation_support as citation_support,
    citation_relevance as citation_relevance,
    sentence_support as sentence_support,
    f1_weighted as f1_weighted,
)
