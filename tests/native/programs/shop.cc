// SPDX-License-Identifier: BSD-2-Clause
//
// A server with three faults: a cache without a limit, a journal that drops its entries without
// freeing them, and a report that is made as a whole. Serves 40 times 50 requests; with a path, the
// profile of this process, waits for a sample after each 50, and of the whole report.
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" {
#include "wait_for_sample.h"
}

enum { N_ROUNDS = 40, N_REQUESTS = 50, REPORT_ROUND = 20, N_ROWS = 7000 };

struct Entry {
    std::string text;
};

class Journal {
    Entry *last_ = nullptr;

  public:
    void note(const std::string &page)
    {
        last_ = new Entry{"the page " + page + " was served to a customer of the shop"};
    }
};

class Pages {
    std::unordered_map<std::string, std::string> pages_;

    static std::string render(const std::string &page)
    {
        std::string text;
        text.reserve(1000);
        for (int i = 0; i < 40; i++) {
            text += "<p>" + page + "</p>";
        }
        return text;
    }

  public:
    const std::string &get(const std::string &page)
    {
        auto it = pages_.find(page);
        return it != pages_.end() ? it->second : pages_.emplace(page, render(page)).first->second;
    }
};

class Shop {
    Pages pages_;
    Journal journal_;

  public:
    size_t serve(int number)
    {
        std::string page = "/page/" + std::to_string(number);
        journal_.note(page);
        return pages_.get(page).size();
    }

    static size_t report(const char *path)
    {
        std::vector<std::string> rows;
        for (int i = 0; i < N_ROWS; i++) {
            rows.push_back("row " + std::to_string(i) + std::string(1000, '.'));
        }
        if (path) {
            wait_for_sample(path, [] {});
        }
        return rows.size();
    }
};

int main(int argc, char **argv)
{
    Shop shop;
    size_t n = 0;
    const char *path = argc > 1 ? argv[1] : nullptr;
    for (int round = 0; round < N_ROUNDS; round++) {
        for (int i = 0; i < N_REQUESTS; i++) {
            n += shop.serve(round * N_REQUESTS + i);
        }
        n += round == REPORT_ROUND ? Shop::report(path) : 0;
        if (path) {
            wait_for_sample(path, [] {});
        }
    }
    std::printf("%zu\n", n);
}
