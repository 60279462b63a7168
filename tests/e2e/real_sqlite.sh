#!/usr/bin/env bash
# sqlite3: a table of 20,000 rows in memory.
. "$(dirname "$0")/lib.sh"
need sqlite3
same_as_alone 1000 sqlite3 :memory: "create table t(a integer primary key, b text); with recursive c(i) as (select 1 union all select i+1 from c where i<20000) insert into t select i, 'row ' || i from c; create index u on t(b); select count(*), sum(length(b)) from t;"
finish
