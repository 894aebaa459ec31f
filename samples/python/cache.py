# SPDX-License-Identifier: BSD-2-Clause
"""A server whose cache has no limit: answers are looked up by a key that never repeats."""
import time

CACHE = {}


class Answer:
    def __init__(self, request):
        self.request = request
        self.lines = [f"line {number} of {request}" for number in range(20)]


def answer(user, moment):
    key = (user, moment)  # the moment makes each key a new one
    if key not in CACHE:
        CACHE[key] = Answer(f"request of {user} at {moment}")
    return CACHE[key]


for moment in range(200):
    for user in range(25):
        answer(user, moment)
    time.sleep(0.01)
