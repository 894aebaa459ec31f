// SPDX-License-Identifier: BSD-2-Clause
//
// A server of one thread for each connection, with a table that grows to its size and stays there.
// A request is a line: a number, the key of an entry that is replaced. The answer is a line of the
// entry's words in order.
//
// store SOCKET
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

struct Entry {
    std::vector<std::string> words;
};

static std::mutex lock;
static std::unordered_map<unsigned long, std::shared_ptr<Entry>> entries;

static std::shared_ptr<Entry> make_entry(unsigned long key)
{
    auto entry = std::make_shared<Entry>();
    for (unsigned long i = 0; i < 20; i++) {
        entry->words.push_back(std::to_string(key * 7919 + i * i) + std::string(i * 3, 'x'));
    }
    return entry;
}

static std::string answer(unsigned long key)
{
    auto entry = make_entry(key);
    {
        std::lock_guard<std::mutex> held(lock);
        entries[key % 50000] = entry;
    }
    std::vector<std::string> sorted = entry->words;
    std::sort(sorted.begin(), sorted.end());
    std::string line;
    for (const std::string &word : sorted) {
        line += word + " ";
    }
    line += "\n";
    return line;
}

static void serve(int connection)
{
    FILE *in = fdopen(connection, "r");
    char line[64];
    while (fgets(line, sizeof line, in)) {
        std::string text = answer(strtoul(line, nullptr, 10));
        if (write(connection, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
            break;
        }
    }
    fclose(in);
}

int main(int argc, char **argv)
{
    sockaddr_un place = {};
    place.sun_family = AF_UNIX;
    if (argc != 2 || std::string(argv[1]).copy(place.sun_path, sizeof place.sun_path - 1) == 0) {
        return 2;
    }
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, reinterpret_cast<sockaddr *>(&place), sizeof place) != 0 ||
        listen(listener, 16) != 0) {
        perror(argv[1]);
        return 1;
    }
    for (int connection; (connection = accept(listener, nullptr, nullptr)) >= 0;) {
        std::thread(serve, connection).detach();
    }
}
