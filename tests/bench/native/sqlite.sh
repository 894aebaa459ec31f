#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The shell of SQLite on a data base in memory of ROWS rows: bulk insert, index, groups, join, strings.
. "$(dirname "$0")/_common.inc"
n=${ROWS:-500000}
script=$W/sqlite-$n.sql
cat >"$script.$$" <<SQL
.open :memory:
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < $n)
  insert into t select i, printf('%08x-%s', (i * 2654435761) % 4294967296, hex(i * 7919)), i * 0.5 from n;
create index tb on t(b);
create table u as select substr(b, 1, 3) k, count(*) n, group_concat(a) g from t group by 1;
select count(*), sum(length(g)) from u;
select sum(length(replace(upper(b), 'A', 'xyz'))) from t;
select count(*) from t x join t y on y.a = (x.a * 31) % $n where x.b < y.b;
select count(distinct json_extract(json_object('a', a, 'b', b), '\$.b')) from t;
SQL
mv "$script.$$" "$script"
export HOME="$W"
exec "$@" sqlite3 -batch -init "$script" :memory: .quit
