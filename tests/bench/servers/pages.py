# SPDX-License-Identifier: BSD-2-Clause
"""A Flask application: each page is made of a thousand rows and sorted, and the last thousand pages are kept."""
import collections
import json
import sys

import flask
from werkzeug.serving import WSGIRequestHandler, run_simple

app = flask.Flask(__name__)
kept = collections.OrderedDict()


@app.route("/<int:number>")
def page(number):
    rows = [{"key": number * 31 % (i + 7), "text": "row %d of %d" % (i, number)} for i in range(200)]
    rows.sort(key=lambda row: row["key"])
    kept[number] = rows
    while len(kept) > 1000:
        kept.popitem(last=False)
    return json.dumps(rows)


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


run_simple("unix://" + sys.argv[1], 0, app, threaded=True, request_handler=Quiet)
