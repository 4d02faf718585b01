"""Make the files that the fuzzer starts from, one of each form: python tests/fuzz/make_corpus.py.

They are kept in the folder corpus, since other versions of PyArrow write other bytes.
"""

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

CORPUS = Path(__file__).parent / "corpus"

RUN = "q1 Q0 d1 1 3.5 bm25\nq1 Q0 d2 2 -1e-3 bm25\nq2 Q0 д 1 +.5 bm25\n007 Q0 d1 1 inf bm25\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\n007 Q0 д -1\n"
HEADER = "# ir_metadata.start\n# tag: bm25\n# method:\n#   k1: 0.9\n#   on: [a, {b: 1}]\n"
RECORDS = [
    {"qid": "q1", "docno": "d1", "score": 3.5, "rank": 1},
    {"qid": "007", "docno": "д", "score": -1, "rank": 2},
]
NESTED = [
    {"user_id": "u1", "items": [{"item_id": "i1", "score": 0.5}, {"item_id": "i2", "score": 0.25}]},
    {"user_id": "u2", "items": []},
]
SCORES = "name,qid,measure,value\nbm25,q1,AP,0.5\nbm25,q2,AP,nan\nql,q1,AP,1e-1\nql,q2,AP,1\n"
TEXTS = {
    "plain.run": RUN,
    "five_fields.run": "q1 Q0 d1 1 3.5\nq1 Q0 d2 2 2\n",
    "awkward.run": "# note\r\n\r\n  q1\tQ0  d1 1 3.5 bm25 more\r\n q1 Q0 d2\t2 2.5 bm25 \r\n",
    "carriage_returns.run": RUN.replace("\n", "\r"),
    "twice.run": "q1 Q0 d1 1 3.5 x\nq1 Q0 d1 2 2.5 x\nq1 Q0 d2 3 2,5 x\nq1 Q0 d3\n",
    "not_utf8.run": b"q1 Q0 d\xe9 1 3.5 x\nq1 Q0 d2 2 nan x\n",
    "three_fields.run": "q1 d1 1\nq1 d2 2\n007 d1 1\n",
    "decimal_comma.run": "q1 d1 1,5\nq1 d2 -0,25\n",
    "header.run": "topic dimension item place prediction\nq1 Q0 d1 1 3.5\n",
    "ir_metadata.run": f"{HEADER}# ir_metadata.end\n{RUN}",
    "plain.qrels": QRELS,
    "three_fields.qrels": "q1 d1 1\nq1 d2 0\n",
    "twice.qrels": "q1 0 d1 1\nq1 0 d1 2.0\nq1 1 d1 x\n",
    "plain.csv": 'qid,docno,rank,score,name\nq1,d1,1,3.5,a\nq1,"d,2",2,2.5,a\n007,d1,1.0,1,b\n',
    "semicolons.csv": '\ufeff"topic";"doc";"sim"\r\n"q1";"d1";"3,5"\r\n"q1";"d2";"2"\r\n',
    "other_names.csv": "a,b,score,relevance\nq1,d1,0.5,1\nq1,d2,0.25,0\n",
    "plain.tsv": 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\t"d2\t0\n',
    "recbole.inter": "user_id:token\titem_id:token\trating:float\nu1\ti1\t4\nu1\ti2\t0.5\n",
    "lines.json": "".join(json.dumps(record) + "\n" for record in RECORDS),
    "twice.json": json.dumps([RECORDS[0], RECORDS[0] | {"score": "inf"}]),
    "twice.csv": 'qid,docno,score\nq1,d1,3\nq1,"d\n1",2\nq1,d1,1\n',
    "records.json": json.dumps(RECORDS, indent=0, ensure_ascii=False),
    "nested.json": "".join(json.dumps(record) + "\n" for record in NESTED),
    "predictions.json": json.dumps(
        {"mteb_model_meta": {"model_name": "a/b"}, "default": {"test": {"q1": {"d1": 3.5}}}}
    ),
    "rank_eval.json": json.dumps(
        {
            "details": {
                "q1": {
                    "hits": [
                        {"hit": {"_id": "d1", "_score": 1.5}, "rating": None},
                        {"hit": {"_id": "d2", "_score": 0.5}, "rating": 2},
                    ]
                },
                "q2": {"hits": []},
            }
        }
    ),
    "judgment_list.json": json.dumps(
        {"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d1", "rating": "3.000"}]}]}
    ),
    "snapshot.json": json.dumps(
        {
            "docs": {"7": [{"id": "d1", "rated_only": False}]},
            "queries": [{"query_id": 7, "query_text": "q1", "ratings": {"d1": 3}}],
        }
    ),
    "questions.json": json.dumps({"questions": [{"id": "q1", "documents": ["d1", "d2"]}]}),
    "letor.qrels": "2 qid:1 1:0.5 2:-1e3 #docid = d1\n0 qid:1 1:0 #docid = d2\n",
    "named_runs.json": json.dumps({"bm25": {"q1": ["d1", "d2"], "q2": []}, "ql": {"q1": ["d2"]}}),
    "by_query.json": json.dumps({"q1": [{"docid": "d1", "score": 3.5}], "q2": []}),
    "texts_of_lists.csv": """qid,doc_id,score\nq1,"['d1', 'd2']","[3.5, 1]"\nq2,['d1'],[.5]\n""",
    "dictionary.json": json.dumps({"q1": {"d1": 3.5, "d2": 1}, "q2": {}}),
    "trec_eval.scores": "map   \tq1\t0.5\nP_10  \tq1\t0.1\nrunid\tall\tbm25\nmap   \tall\t0.5\n",
    "ir_measures.scores": "q1\tAP\t0.5\nq2\tAP\t0.25\nall\tAP\t0.375\n",
    "perquery.scores.csv": SCORES,
    "matrix.scores.csv": "qid,bm25,ql\nq1,0.5,0.25\nq2,,\n",
    "log.csv": 'run,seed,k1,note\nbm25,007,0.9,"a\nb"\nql,012,,\n',
    "log.jsonl": '{"run": "bm25", "params": {"k1": 0.9, "on": true}}\n{"run": "ql", "x": [1]}\n',
    "page.html": "<!DOCTYPE html>\n<html><title>q1</title></html>\n",
}


def columns(records):
    return {name: [record[name] for record in records] for name in records[0]}


def as_parquet(table):
    sink = pa.BufferOutputStream()
    options = dict(compression="none", use_dictionary=False, write_statistics=False)
    parquet.write_table(table, sink, store_schema=False, **options)
    return sink.getvalue().to_pybytes()


def as_arrow(table, new):
    sink = pa.BufferOutputStream()
    with new(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def forms():
    """Give the bytes of each form of file, by its name."""
    flat, nested = pa.table(columns(RECORDS)), pa.table(columns(NESTED))
    facts = {"sources": [{"run": "a", "path": "a.run"}], "ir_metadata": {"a": "k1: 0.9"}}
    named = flat.append_column("run", pa.array(["a", "b"]))
    named = named.replace_schema_metadata({"lexiframe": json.dumps(facts)})
    judged = pa.table({"query_id": [7, 8], "doc_id": [1, 2], "relevance": [1.0, 0.5]})
    words = pa.table({"qid": pa.array(["q1", "q1"]).dictionary_encode(), "docno": ["a", "b"]})
    words = words.append_column("score", pa.array([1, 2], pa.decimal128(5, 2)))
    packed = {
        "run.gz": gzip.compress(RUN.encode(), mtime=0),
        "two_members.gz": b"".join(
            gzip.compress(b, mtime=0) for b in RUN.encode().splitlines(True)
        ),
        "run.bz2": bz2.compress(RUN.encode()),
        "run.xz": lzma.compress(RUN.encode()),
        "run.zst": pa.compress(RUN.encode(), "zstd", asbytes=True),
        "qrels.gz": gzip.compress(QRELS.encode(), mtime=0),
    }
    coded = {f"{name}.run": RUN.encode(name) for name in ("utf-8-sig", "utf-16", "utf-32")}
    arrow = {
        "flat.parquet": as_parquet(flat),
        "nested.parquet": as_parquet(nested),
        "qrels.parquet": as_parquet(judged),
        "flat.arrow": as_arrow(flat, pa.ipc.new_file),
        "provenance.arrow": as_arrow(named, pa.ipc.new_stream),
        "stream.arrow": as_arrow(flat, pa.ipc.new_stream),
        "nested.arrow": as_arrow(nested, pa.ipc.new_stream),
        "words.arrow": as_arrow(words, pa.ipc.new_file),
        "qrels.arrow": as_arrow(judged, pa.ipc.new_file),
    }
    texts = {n: text if isinstance(text, bytes) else text.encode() for n, text in TEXTS.items()}
    return texts | packed | coded | arrow


if __name__ == "__main__":
    CORPUS.mkdir(exist_ok=True)
    for name, data in forms().items():
        (CORPUS / name).write_bytes(data)
