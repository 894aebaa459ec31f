// SPDX-License-Identifier: BSD-2-Clause
//
// A small server with three faults of memory, for docs/native.md and tests/tasks:
//
//   a leak       each request leaves an audit record behind that nothing refers to
//   a cache      pages are rendered once, and never dropped
//   a peak       the daily report copies all orders to sort them
//
//   server [REQUESTS]     (4000)
//
// g++ -g -O1 -o server server.cpp
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Order {
    int customer;
    std::string article;
};

class PageCache {
  public:
    const std::string &get(const std::string &path)
    {
        auto found = pages.find(path);
        if (found == pages.end()) {
            found = pages.emplace(path, render(path)).first;
        }
        return found->second;
    }

  private:
    static std::string render(const std::string &path)
    {
        std::ostringstream page;
        for (int i = 0; i < 60; i++) {
            page << "<p>" << path << " offers article " << i << "</p>\n";
        }
        return page.str();
    }

    std::unordered_map<std::string, std::string> pages;
};

class AuditLog {
  public:
    void note(const std::string &path, int customer)
    {
        last =
            new Record{"customer " + std::to_string(customer) + " has read " + path, last_number++};
    }

  private:
    struct Record {
        std::string text;
        long number;
    };

    Record *last = nullptr;
    long last_number = 0;
};

class Server {
  public:
    size_t handle(int number)
    {
        int customer = number % 200;
        std::string path = "/articles/" + std::to_string(number * 7919L % 1500);
        audit.note(path, customer);
        orders.push_back({customer, path + " in a parcel of its own"});
        return cache.get(path).size();
    }

    size_t report()
    {
        std::vector<std::string> rows;
        for (int copy = 0; copy < 12; copy++) {
            for (const Order &order : orders) {
                rows.push_back(std::to_string(order.customer) + " bought " + order.article +
                               std::string(300, '.'));
            }
        }
        std::sort(rows.begin(), rows.end());
        return rows.size();
    }

  private:
    PageCache cache;
    AuditLog audit;
    std::vector<Order> orders;
};

int main(int count, char **arguments)
{
    int n_requests = count > 1 ? atoi(arguments[1]) : 4000;
    Server server;
    size_t n_bytes = 0;
    for (int i = 0; i < n_requests; i++) {
        n_bytes += server.handle(i);
        if (i == n_requests * 2 / 3) {
            n_bytes += server.report();
        }
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    printf("%zu bytes served\n", n_bytes);
}
