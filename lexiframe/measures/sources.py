"""Where formulas stand: papers with their DOI, and programs whose definitions others quote."""

LEXIRECALL = "Diaz, Ekstrand & Mitra, TORS 2025, doi:10.1145/3728373"
LEXIPRECISION = "Diaz, EVIA 2023, doi:10.20736/0002001353"
RECALL_PAIRED = "Diaz & Ferraro, SIGIR 2022, doi:10.1145/3477495.3532033"
TREC_EVAL = "trec_eval 10"
NDEVAL = "ndeval (TREC Web Track)"
