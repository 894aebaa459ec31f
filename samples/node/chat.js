// SPDX-License-Identifier: BSD-2-Clause
//
// A chat server that does not remove the listeners of closed sessions. chat.js N opens N sessions, closes all but the
// last hundred, and writes the heap snapshot chat.heapsnapshot.
'use strict';

const v8 = require('v8');

class Session {
    constructor(id) {
        this.user = `user ${id}`;
        this.messages = [];
        this.seen = new Set();
    }

    receive(message) {
        this.messages.push({text: message, at: this.messages.length});
        this.seen.add(message.length);
    }
}

class Bus {
    constructor() {
        this.listeners = [];
    }

    subscribe(listener) {
        this.listeners.push(listener);
    }
}

const bus = new Bus();
const sessions = new Map();

function open(id) {
    const session = new Session(id);
    sessions.set(id, session);
    bus.subscribe((message) => session.receive(message));
    return session;
}

function close(id) {
    sessions.delete(id);
}

const nSessions = Number(process.argv[2] || 1000);
for (let id = 0; id < nSessions; id++) {
    const session = open(id);
    for (let i = 0; i < 20; i++) {
        session.receive(`message ${i} for ${session.user}`);
    }
    if (id >= 100) {
        close(id - 100);
    }
}
v8.writeHeapSnapshot('chat.heapsnapshot');
