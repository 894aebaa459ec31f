# SPDX-License-Identifier: BSD-2-Clause
"""A shop on the web that remembers the last search of each visitor; one without a cookie is a new visitor each time.

server.py PORT, or server.py unix://PATH
"""
import logging
import sys
import uuid

import flask

app = flask.Flask(__name__)
CATALOGUE = ["item %d of shelf %d" % (number, number % 97) for number in range(5000)]
last_search = {}


def find(word):
    return [item for item in CATALOGUE if word in item]


def remember(visitor, word, found):
    last_search[visitor] = {"word": word, "page": "\n".join(found)}


@app.get("/search/<word>")
def search(word):
    visitor = flask.request.cookies.get("visitor") or uuid.uuid4().hex
    found = find(word)
    remember(visitor, word, found)
    answer = flask.make_response("%d items\n" % len(found))
    answer.set_cookie("visitor", visitor)
    return answer


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    where = sys.argv[1]
    if where.startswith("unix:"):
        app.run(host=where)
    else:
        app.run(port=int(where))
