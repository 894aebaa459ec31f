// SPDX-License-Identifier: BSD-2-Clause
//
// An ordinary piece of C++, with all that the standard library inlines into it.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace bank {

struct account {
    std::string owner;
    std::vector<int> amounts;
};

} // namespace bank

extern "C" __attribute__((visibility("default"))) int fixture_std_sum(int n)
{
    std::map<std::string, std::unique_ptr<bank::account>> accounts;
    std::vector<std::function<int(int)>> steps;
    for (int i = 0; i < n; i++) {
        auto &slot = accounts[std::to_string(i % 7)];
        if (!slot) {
            slot = std::make_unique<bank::account>(
                bank::account{std::string("owner ") + char('a' + i % 26), {}});
        }
        slot->amounts.push_back(i);
        steps.push_back([i](int sum) { return sum + i; });
    }
    int sum = 0;
    for (auto &entry : accounts) {
        auto &amounts = entry.second->amounts;
        std::sort(amounts.begin(), amounts.end(), [](int a, int b) { return a > b; });
        sum += amounts.front() + static_cast<int>(entry.second->owner.size());
    }
    for (auto &step : steps) {
        sum = step(sum);
    }
    return sum;
}
