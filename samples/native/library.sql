-- The workload that ./demo profiles: sqlite3 fills a table in memory, indexes it, groups it, and drops it.
create table loan (reader integer, title text, days integer);
insert into loan
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 400000)
    select i * 7919 % 20011, 'Title ' || (i * 104729 % 90001) || ', volume ' || (i % 12), i % 60 from n;
create index loan_by_title on loan (title);
create index loan_by_reader on loan (reader, days);
create table favourite as
    select title, count(*) as loans, avg(days) as days from loan group by title;
select count(*) || ' titles, ' || sum(loans) || ' loans' from favourite;
drop index loan_by_title;
select count(*) || ' readers with many days'
    from (select reader from loan group by reader having sum(days) > 600);
delete from loan where reader % 2 = 0;
vacuum;
drop table loan;
