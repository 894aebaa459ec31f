#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: tests/harm.sh [-b BUILD] [-j JOBS] [-k DIRECTORY] [-m 'MODE;MODE...'] [PROGRAM...]
#
# Runs real programs alone and under `census run` in nine modes, and compares standard output, standard error, exit
# status and all files that they write. Installs missing Debian packages if it may. Prints a table in Markdown:
# `=` where nothing differs, else what does (output, errors, status, files, hang). Exits with 0 only if nothing
# differs. BUILD is build/dev; -k keeps both sides of each difference in DIRECTORY; PROGRAM is a name of the table below.
#
# A program runs twice alone first: what differs between these two runs cannot be compared, and is listed. Lines of
# census on standard error are left out, and listed too. Use it with nice: it takes an hour.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build/dev
jobs=1
kept=
modes='-hc;-hd;-hm;-hy;-hr;-hb;-hr -hbdrag,void;-hc -p;-hc --snapshot=last'
interval_s=0.01
patience_s=120

# Name, Debian package, command. Commands run in a directory with the files of make_inputs; $D is that directory.
programs() {
    cat <<'TABLE'
perl	perl	perl -e 'my %h; $h{$_ % 5003} .= $_ for 1..60000; print scalar(keys %h), " ", length(join "", values %h), "\n"; exit 3'
perl-fork	perl	perl -e 'for (1..20) { my $p = open my $f, "-|"; unless ($p) { my @a = map { "x$_" } 1..5000; print scalar(@a), "\n"; exit 0 } print <$f>; close $f } print wait(), "\n"'
python	python3	/usr/bin/python3 -c 'import json, hashlib; d = {str(i): [i] * 5 for i in range(15000)}; t = json.dumps(d); print(len(t), hashlib.sha256(t.encode()).hexdigest(), len(json.loads(t)))'
python-threads	python3	/usr/bin/python3 -c 'import threading, queue; q = queue.Queue(10); r = []; c = threading.Thread(target=lambda: r.extend(iter(q.get, None))); c.start(); [q.put("x" * (i % 100)) for i in range(8000)]; q.put(None); c.join(); print(len(r), sum(map(len, r)))'
python-pool	python3	/usr/bin/python3 -c 'import multiprocessing as m; p = m.get_context("fork").Pool(3); print(sum(p.map(len, [[0] * i for i in range(200)]))); p.close(); p.join()'
python-asyncio	python3	/usr/bin/python3 async.py
lua	lua5.4	lua5.4 -e 't = {} for i = 1, 60000 do t[i % 7001] = (t[i % 7001] or "") .. (i % 10) end n = 0 for k, v in pairs(t) do n = n + #v end print(n)'
luajit	luajit	luajit -e 't = {} for i = 1, 60000 do t[#t + 1] = {i, tostring(i)} end print(#t, collectgarbage("count") > 0)'
ruby	ruby	ruby -e 'h = Hash.new(0); 50_000.times { |i| h["k#{i % 9973}"] += i }; puts h.size, h.values.sum; GC.start; warn "done"; exit 4'
guile	guile-3.0	GUILE_AUTO_COMPILE=0 guile -c '(display (length (let loop ((i 0) (l (quote ()))) (if (= i 60000) l (loop (+ i 1) (cons (number->string i) l))))))'
tclsh	tcl	echo 'for {set i 0} {$i < 30000} {incr i} {lappend l [string repeat x [expr {$i % 50}]]}; puts [string length [join $l]]; exit 5' | tclsh
node	nodejs	node -e 'const m = new Map(); for (let i = 0; i < 50000; i++) m.set("k" + i, [i]); setTimeout(() => { console.log(m.size, process.argv.length); console.error("end"); process.exit(6) }, 50)'
php	php-cli	php -r '$a = []; for ($i = 0; $i < 50000; $i++) $a["k$i"] = [$i, "v$i"]; echo count($a), " ", md5(serialize($a)), "\n";'
ocaml	ocaml-nox	ocaml hash.ml
clisp	clisp	clisp -q -norc -x '(let ((l (loop for i below 50000 collect (format nil "~a" i)))) (print (reduce (function +) (mapcar (function length) l))) (exit 7))'
gforth	gforth	gforth -e ': t 0 1000000 0 do i + loop . ; t 1000000 allocate throw 1000000 erase cr bye'
swipl	swi-prolog-nox	swipl -q -g 'numlist(1, 50000, L), foldl([X, A, B]>>(B is A + X), L, 0, S), print(S), nl' -t 'halt(8)'
bc	bc	echo 'scale = 500; 4 * a(1)' | bc -l
dc	dc	echo '1500 k 2 v p' | dc
bash	bash	bash -c 'declare -A a; for i in {1..8000}; do a[k$((i % 997))]+=$i; done; echo ${#a[@]}; for i in 1 2 3 4 5; do (echo sub $i; exit $i); echo $?; done; trap "echo trapped; exit 9" TERM; kill -TERM $$'
dash	dash	dash -c 'i=0; while [ $i -lt 8000 ]; do s="$s."; i=$((i + 1)); [ ${#s} -gt 500 ] && s=; done; echo ${#s}; cat words.txt | sort | uniq | wc -l; sleep 0.1 & wait $!; echo $?'
mksh	mksh	mksh -c 'set -A a; i=0; while (( i < 6000 )); do a[i]=x$i; (( i += 1 )); done; echo ${#a[*]}; print -u2 end; exit 3'
yash	yash	yash -c 'i=0; while [ $i -lt 4000 ]; do a="$a$i"; i=$((i+1)); done; echo ${#a}'
busybox	busybox	busybox sh -c 'busybox sort words.txt | busybox uniq -c | busybox sort -rn | busybox head -n 5; busybox md5sum words.txt'
jobs	bash	bash -c 'set -m; sleep 0.3 & kill -STOP %1; sleep 0.2; jobs | sed "s/  */ /g"; kill -CONT %1; wait %1; echo $?; ulimit -n; ulimit -v; ulimit -s'
gawk	gawk	gawk '{ n[$1]++; s = s substr($0, 1, 1) } END { print length(n), length(s); exit 2 }' words.txt
mawk	mawk	mawk '{ n[$1] = n[$1] " " NR } END { for (k in n) l += length(n[k]); print l }' words.txt
sed	sed	sed -e ':a;N;$!ba;s/\n/ /g' words.txt | sed 's/ab/X/g' | md5sum
grep	grep	grep -c -E '(a|b)+c.*d' words.txt; grep -P -o '(\w)\1' words.txt | sort | uniq -c | head -n 5
sort	coreutils	sort --parallel=4 -S 1M words.txt | md5sum; split -n 20 --filter='md5sum | cut -c1-8' words.txt
find	findutils	find /usr/share/doc -maxdepth 1 -name 'c*' | sort | md5sum; find /usr/include/linux -name '*.h' -print0 | xargs -0 -n 100 -P 3 cat | wc -c
diff	diffutils	sort words.txt > sorted.txt; diff words.txt sorted.txt | md5sum; cmp words.txt sorted.txt
m4	m4	m4 -e words.m4 | md5sum
gcc	gcc	gcc -O2 -g -c unit.c -o unit.o && gcc unit.o -o unit && ./unit && gcc -fsyntax-only -Wall wrong.c
gcc-lto	gcc	gcc -O2 -flto=2 -frandom-seed=1 unit.c -o unit && ./unit
g++	g++	g++ -O1 -c unit.cc -o unit.o && g++ unit.o -o unit && ./unit
clang	clang	clang -O2 -c unit.c -o unit.o && clang unit.o -o unit && ./unit; clang -fsyntax-only wrong.c
tcc	tcc	tcc -run unit.c
go	golang-go	GOCACHE=$D/cache GOFLAGS=-p=1 GO111MODULE=off GOGC=50 gofmt -d -s unit.go; go vet unit.go 2>&1 | tail -n 3; rm -rf cache
ocamlopt	ocaml-nox	ocamlfind ocamlopt -version 2>/dev/null || ocamlopt hash.ml -o hash && ./hash
rustc	rustc	rustc --edition 2021 -C opt-level=0 -C codegen-units=2 unit.rs -o unit && ./unit; rustc wrong.rs
java	openjdk-17-jdk-headless	java -Xmx128m -XX:+UseSerialGC Unit.java
bison	bison	bison -d grammar.y && md5sum grammar.tab.c
flex	flex	flex -o lexer.c lexer.l
nasm	nasm	nasm -f elf64 unit.asm -o unit.o && ld unit.o -o unit && ./unit
gperf	gperf	sort -u words.txt | head -n 300 | gperf
make	make	make -j3 -f Makefile.test all
cmake	cmake	cmake -S project -B built -G Ninja | sed 's/([0-9.]*s)//' && cmake --build built | sed 's/.*\] //' && built/hello; rm -rf built
ninja	ninja-build	ninja -f build.ninja -j 2 | sed 's/.*\] //' | sort; rm -f .ninja_log .ninja_deps
gdb	gdb	gcc -g -O0 unit.c -o unit; gdb -q -nx -batch -ex 'break main' -ex run -ex 'print 6 * 7' -ex continue ./unit 2>&1 | sed -e 's/0x[0-9a-f]*//g' -e 's/process [0-9]*//g'
strace	strace	strace -f -o /dev/null -e trace=none sh -c 'echo traced; true; exit 3'
valgrind	valgrind	gcc -g -O0 unit.c -o unit; valgrind -q --error-exitcode=9 ./unit
sqlite3	sqlite3	sqlite3 base.db 'create table t (a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, hex(i * 7) from n; create index x on t(b); select count(*), sum(a) from t where b > "4"; vacuum; select nothing from t;'
redis	redis-server	redis-server --port 0 --unixsocket $D/s --save '' --daemonize no --loglevel warning --logfile /dev/null & p=$!; until redis-cli -s $D/s ping >/dev/null 2>&1; do sleep 0.05; done; for i in $(seq 20); do echo "set k$i $i"; echo "lpush l $i"; done | redis-cli -s $D/s | md5sum; redis-cli -s $D/s debug populate 20000 >/dev/null; redis-cli -s $D/s dbsize; redis-cli -s $D/s shutdown nosave; wait $p; echo $?
redis-fork	redis-server	redis-server --port 0 --unixsocket $D/s --save '' --loglevel warning --logfile /dev/null & p=$!; until redis-cli -s $D/s ping >/dev/null 2>&1; do sleep 0.05; done; redis-cli -s $D/s debug populate 20000 >/dev/null; redis-cli -s $D/s bgsave; until redis-cli -s $D/s info persistence | grep -q 'bgsave_in_progress:0'; do sleep 0.05; done; redis-cli -s $D/s info persistence | grep -a last_bgsave_status; rm -f dump.rdb; kill -TERM $p; wait $p; echo $?
memcached	memcached	memcached -u nobody -s $D/s -m 64 -t 3 & p=$!; /usr/bin/python3 memcached.py; kill -INT $p; wait $p
nginx	nginx-light	nginx -p $D -c $D/nginx.conf & p=$!; until [ -S s ]; do sleep 0.05; done; for i in 1 2 3 4 5; do curl -s --unix-socket s http://localhost/words.txt | md5sum; done; curl -s -o /dev/null -w '%{http_code}\n' --unix-socket s http://localhost/none; kill -QUIT $p; wait $p; echo $?
postgres	postgresql	initdb --version >/dev/null 2>&1 && PATH=$PATH postgres --describe-config | sort | md5sum
git	git	git -c init.defaultBranch=main init -q repo && cd repo && git config user.email a@b && git config user.name a && for i in 1 2 3 4 5; do seq $i 8000 > f$i; git add . && git commit -q -m c$i; done; git log --stat --format=%H; git gc -q; git fsck; git blame f1 | md5sum; cd .. && rm -rf repo
jq	jq	jq -c '[.[] | select(.a % 3 == 0) | .b] | length' data.json; jq . data.json | md5sum; jq '.[' data.json
gzip	gzip	gzip -9 -n -c words.txt > w.gz; gzip -t w.gz; gzip -dc w.gz | md5sum; gzip -d nothing.gz
bzip2	bzip2	bzip2 -k words.txt; bzip2 -dc words.txt.bz2 | md5sum
xz	xz-utils	xz -T2 --block-size=200KiB -k words.txt; xz -dc words.txt.xz | md5sum
zstd	zstd	zstd -q -T3 -12 -k words.txt; zstd -dcq words.txt.zst | md5sum
lz4	lz4	lz4 -q -k words.txt; lz4 -dcq words.txt.lz4 | md5sum
brotli	brotli	brotli -q 6 -k words.txt; brotli -dc words.txt.br | md5sum
7z	p7zip-full	7z a -bd -mmt=2 -mtm=off w.7z words.txt >/dev/null; 7z x -so w.7z | md5sum
zip	zip	zip -q -X w.zip words.txt data.json; unzip -p w.zip | md5sum
tar	tar	tar -c --sort=name --mtime=@0 words.txt project | tee all.tar | md5sum; tar -tvf all.tar --utc; tar -x -f nothing.tar
cpio	cpio	ls *.c *.txt | cpio -o --reproducible -H newc 2>/dev/null | cpio -t
rsync	rsync	rsync -a project/ copy/; rsync -rcn --itemize-changes project/ copy/; rsync none copy2
curl	curl	curl -s file://$D/words.txt | md5sum; curl -sS http://127.0.0.1:1/ 2>&1 | sed "s/after.*ms//"
openssl	openssl	openssl enc -aes-256-cbc -pbkdf2 -iter 20000 -S 0011223344556677 -k secret -in words.txt | md5sum; openssl genrsa 2048 2>/dev/null | openssl rsa -check -noout; openssl dgst -sha512 words.txt
gpg	gnupg	mkdir -m 700 home; gpg --homedir home --batch --print-md sha512 words.txt; gpg --homedir home --batch --pinentry-mode loopback --passphrase p -o w.gpg -c words.txt 2>/dev/null; gpg --homedir home --batch --pinentry-mode loopback --passphrase p -d w.gpg 2>/dev/null | md5sum; gpgconf --homedir home --kill all; rm -rf home w.gpg
ffmpeg	ffmpeg	ffmpeg -v error -threads 2 -f lavfi -i testsrc=d=2:s=160x120 -c:v mpeg4 -flags +bitexact -fflags +bitexact out.avi; ffmpeg -v error -i out.avi -f framemd5 - | tail -n 3; ffmpeg -v error -i none.avi out2.avi
imagemagick	imagemagick	convert -size 400x400 plasma:fractal -seed 3 -blur 3x2 -resize 50% -strip /dev/null; convert -size 300x300 gradient:red-blue -swirl 90 -depth 8 ppm:- | md5sum
graphviz	graphviz	dot -Tplain graph.dot | md5sum; dot -Tsvg -o graph.svg graph.dot; neato -Tplain graph.dot | md5sum
gnuplot	gnuplot-nox	gnuplot -e 'set terminal dumb; plot sin(x), cos(x)'
groff	groff-base	groff -man -Tutf8 -P-c /usr/share/man/man1/gzip.1* 2>/dev/null | md5sum; echo '.TH A 1' | groff -man -Tps | md5sum
xmllint	libxml2-utils	xmllint --format data.xml | md5sum; xmllint --noout wrong.xml
xsltproc	xsltproc	xsltproc style.xsl data.xml
aspell	aspell	echo 'ths wrd is rong' | aspell --lang=en list 2>&1 | head -n 2
ed	ed	printf 'r words.txt\ng/abc/s//X/g\nw out.txt\nq\n' | ed -s
timeout	coreutils	timeout 0.3 sleep 5; echo $?; timeout -s KILL 0.2 sleep 5; echo $?; nice -n 3 nice; env -i /bin/echo x; nohup echo y </dev/null 2>/dev/null
setpriv	util-linux	setpriv --reuid=65534 --regid=65534 --clear-groups id; setsid -w sh -c 'echo s; exit 4'; echo $?; unshare -pf --mount-proc sh -c 'echo $$; ps ax -o comm= 2>/dev/null | grep -c ^sh'; flock words.txt sh -c 'echo locked'
TABLE
}

# Makes the files that the commands read.
make_inputs() {
    awk 'BEGIN { s = 7; for (i = 0; i < 20000; i++) { w = ""; s = (s * 1103 + 12345) % 65536; n = 3 + s % 7
        for (j = 0; j < n; j++) { s = (s * 1103 + 12345) % 65536; w = w sprintf("%c", 97 + s % 26) } print w } }' >words.txt
    awk 'BEGIN { printf "["; for (i = 0; i < 6000; i++) printf "%s{\"a\":%d,\"b\":\"v%d\"}", i ? "," : "", i, i % 77; print "]" }' >data.json
    awk 'BEGIN { print "<l>"; for (i = 0; i < 10000; i++) printf "<e n=\"%d\">t%d</e>", i, i % 9; print "</l>" }' >data.xml
    awk 'BEGIN { print "digraph g {"; for (i = 0; i < 150; i++) printf "n%d -> n%d;\n", i, int(i / 3); print "}" }' >graph.dot
    awk 'BEGIN { for (i = 0; i < 3000; i++) printf "define(`m%d'\'', `n%d $1'\'')m%d(%d)\n", i, i, i, i }' >words.m4
    awk 'BEGIN { print "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
        for (i = 0; i < 120; i++) printf "int f%d(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * %d %% 7; return s; }\n", i, i
        print "int main(void) { int s = 0; char *p[1000]; for (int i = 0; i < 1000; i++) { p[i] = malloc(100); memset(p[i], i, 100); }"
        for (i = 0; i < 120; i++) printf "s += f%d(%d);\n", i, i
        print "for (int i = 0; i < 1000; i++) free(p[i]); printf(\"%d\\n\", s); return s % 100 == 101; }" }' >unit.c
    printf '#include <iostream>\n#include <map>\n#include <string>\nint main() { std::map<std::string, int> m; for (int i = 0; i < 10000; i++) m[std::to_string(i %% 977)] += i; std::cout << m.size() << "\\n"; }\n' >unit.cc
    printf 'int main(void) { int unused; return "x" + missing; }\n' >wrong.c
    printf 'package main\nimport "fmt"\nfunc main() {\n  fmt.Println( "x" )\n}\n' >unit.go
    printf 'fn main() { let v: Vec<String> = (0..1000).map(|i| i.to_string()).collect(); println!("{}", v.concat().len()); }\n' >unit.rs
    printf 'fn main() { let x: u8 = "s"; }\n' >wrong.rs
    printf 'class Unit { public static void main(String[] a) { var m = new java.util.HashMap<String, Integer>(); for (int i = 0; i < 30000; i++) m.merge("k" + i %% 997, i, Integer::sum); System.out.println(m.size() + " " + m.get("k5")); System.exit(3); } }\n' >Unit.java
    printf 'let () = let h = Hashtbl.create 16 in for i = 1 to 50000 do Hashtbl.replace h (string_of_int (i mod 5003)) i done; Printf.printf "%%d\\n" (Hashtbl.length h)\n' >hash.ml
    printf '%%token A\n%%%%\ns: A s | ;\n%%%%\n' >grammar.y
    printf '%%%%\n[a-z]+ return 1;\n[0-9]+ return 2;\n%%%%\n' >lexer.l
    printf 'global _start\n_start: mov eax, 60\nmov edi, 3\nsyscall\n' >unit.asm
    printf 'all: a b c d\na b c d:\n\t@sort words.txt | md5sum > $@.out; sleep 0.1\n' >Makefile.test
    printf 'rule r\n  command = sort words.txt > $out\nbuild a.out: r\nbuild b.out: r\n' >build.ninja
    printf '<l><e></l>' >wrong.xml
    printf '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/><xsl:template match="/"><xsl:value-of select="count(//e)"/></xsl:template></xsl:stylesheet>' >style.xsl
    mkdir project
    printf 'cmake_minimum_required(VERSION 3.5)\nproject(hello C)\nadd_executable(hello hello.c)\n' >project/CMakeLists.txt
    printf '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n' >project/hello.c
    cat >async.py <<'PY'
import asyncio
async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()
async def ask(n):
    reader, writer = await asyncio.open_unix_connection("as")
    total = 0
    for i in range(100):
        writer.write(b"line %d %d\n" % (n, i))
        total += len(await reader.readline())
    writer.close()
    process = await asyncio.create_subprocess_exec("sh", "-c", "cat; exit 3", stdin=-1, stdout=-1)
    out, _ = await process.communicate(b"x" * 200000)
    return total, len(out), process.returncode
async def main():
    server = await asyncio.start_unix_server(serve, "as")
    print(await asyncio.gather(*map(ask, range(8))))
    server.close()
asyncio.run(main())
PY
    cat >memcached.py <<'PY'
import socket, time
end = time.time() + 60
while True:
    try:
        s = socket.socket(socket.AF_UNIX); s.connect("s"); break
    except OSError:
        assert time.time() < end
        time.sleep(0.05)
f = s.makefile("rwb")
for i in range(500):
    f.write(b"set k%d 0 0 %d\r\n%s\r\n" % (i, i, b"x" * i)); f.flush(); assert f.readline() == b"STORED\r\n"
total = 0
for i in range(500):
    f.write(b"get k%d\r\n" % i); f.flush(); head = f.readline(); total += len(f.readline()); f.readline()
print(total)
PY
    printf 'daemon off;\nuser root;\nworker_processes 2;\npid %s/pid;\nerror_log %s/errors.log crit;\nevents {}\nhttp { access_log off; client_body_temp_path %s/t1; proxy_temp_path %s/t2; fastcgi_temp_path %s/t3; uwsgi_temp_path %s/t4; scgi_temp_path %s/t5; server { listen unix:%s/s; root %s; } }\n' \
        "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1" >nginx.conf
}

# run_once SIDE MODE COMMAND: runs a command in a new copy of the inputs. SIDE gets what it did.
run_once() {
    local side=$1 mode=$2 command=$3 words=()
    rm -rf "$work" "$side"
    mkdir -p "$side"
    cp -a "$inputs" "$work"
    [[ $mode == plain ]] || read -ra words <<<"$build/cli/census run -q -i$interval_s $mode -o $profile --"
    (cd "$work" && exec env HOME="$work" LC_ALL=C TZ=UTC D="$work" SOURCE_DATE_EPOCH=0 GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' \
        GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' timeout -k 10 $patience_s "${words[@]}" sh -c "$command") \
        </dev/null >"$side/output" 2>"$side/all-errors"
    echo $? >"$side/status"
    grep -a '^census: ' "$side/all-errors" >"$side/census"
    grep -av '^census: ' "$side/all-errors" >"$side/errors"
    (cd "$work" && find . -type f -printf '%M %p ' -exec sha256sum {} \; | sort -k 2) >"$side/files"
    "$build/cli/census" info "$profile.census" 2>/dev/null | sed -n 's/,//g; s/^samples *//p' >>"$results/samples"
    rm -rf "$profile"*
}

# Prints what differs between two sides, or `=`.
difference() {
    local what found=()
    if [[ $(<"$2/status") == 124 || $(<"$2/status") == 137 ]] && ! cmp -s "$1/status" "$2/status"; then
        echo hang
        return
    fi
    for what in status output errors files; do
        cmp -s "$1/$what" "$2/$what" || found+=("$what")
    done
    echo "${found[*]-}" | sed 's/^$/=/; s/ /, /g'
}

# Runs a program in all modes, and prints its row, with `!` before what differs between plain runs, too.
run_program() {
    local name=$1 command=$2 row mode unstable
    scratch=$(mktemp -d)
    work=$scratch/work profile=$scratch/profile inputs=$scratch/inputs
    mkdir "$inputs"
    (cd "$inputs" && make_inputs "$work")
    run_once "$scratch/plain" plain "$command"
    run_once "$scratch/again" plain "$command"
    unstable=$(difference "$scratch/plain" "$scratch/again")
    row="| $name |"
    if grep -q 'not found' "$scratch/plain/errors"; then
        rm -rf "$scratch"
        echo "| $name (not installed) |"
        return
    fi
    [[ $unstable == '=' ]] || row="| $name (two plain runs differ: $unstable) |"
    local IFS=';'
    for mode in $modes; do
        unset IFS
        run_once "$scratch/side" "$mode" "$command"
        local differs
        differs=$(difference "$scratch/plain" "$scratch/side")
        [[ $differs != "$unstable" ]] || differs='='
        row+=" $differs |"
        if [[ $differs != '=' || -s $scratch/side/census ]] && [[ -n $kept ]]; then
            local to="$kept/$name.${mode// /_}"
            rm -rf "$to"
            mkdir -p "$to"
            cp -a "$scratch/plain" "$scratch/side" "$to"
            echo "$command" >"$to/command"
            diff -r "$scratch/plain" "$scratch/side" >"$to/diff"
        fi
        sed "s/^/$name $mode: /" "$scratch/side/census" >&3
    done
    rm -rf "$scratch"
    echo "$row"
}

while getopts b:j:k:m: option; do
    case $option in
    b) build=$(realpath "$OPTARG") ;;
    j) jobs=$OPTARG ;;
    k) mkdir -p "$OPTARG" && kept=$(realpath "$OPTARG") ;;
    m) modes=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(realpath "$build")

wanted() {
    (($# == 0)) || [[ " $* " == *" $name "* ]]
}

packages=()
while IFS=$'\t' read -r name package command; do
    wanted "$@" && ! dpkg -s "$package" >/dev/null 2>&1 && packages+=("$package")
done < <(programs)
if ((${#packages[@]})) && ((EUID == 0)); then
    readarray -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}" >&2 ||
        echo "Not all packages could be installed: their programs are left out" >&2
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
n=0
while IFS=$'\t' read -r name package command; do
    wanted "$@" || continue
    n=$((n + 1))
    while (($(jobs -rp | wc -l) >= jobs)); do
        wait -n
    done
    (run_program "$name" "$command" 3>"$results/census.$n" >"$results/row.$n"; cat "$results/row.$n" >&2) &
done < <(programs)
wait

IFS=';' read -ra columns <<<"$modes"
printf '| program |'
printf ' `%s` |' "${columns[@]}"
printf '\n| --- |'
printf ' --- |%.0s' "${columns[@]}"
printf '\n'
for ((i = 1; i <= n; i++)); do
    cat "$results/row.$i"
done
n_differ=$(cat "$results"/row.* | cut -d'|' -f3- | tr '|' '\n' | grep -c '[a-z]')
echo
echo "$n programs, $((n * ${#columns[@]})) runs under census, $(awk '{ n += $1 } END { print n }' "$results/samples") samples, $n_differ differences"
cat "$results"/census.*
((n_differ == 0))
