# The program of a channel that works on files. It is joined to one line, so that each line ends a statement. Paths are
# absolute. Only POSIX, and what GNU, BSD and busybox have in common; where they differ, what is there is looked up once.

trap "" PIPE;
exec 2>&1;
LC_ALL=C; export LC_ALL; unset CDPATH ENV;
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin};
u=$(umask); helper= helpers=0;

# H: exactly so many bytes of the input, and none of what follows.
case $(head --version 2>/dev/null) in
*GNU*|*uutils*) H() { head -c "$1"; };;
*) H() { if [ "$1" != 0 ]; then dd bs=1 count="$1" 2>/dev/null; fi; };;
esac;

# N: whether perl is there to help, which spares a process for each step; it is started when it is first needed. One that
# does not start, or has ended, is noticed by the end of its answers.
N() {
if [ -z "$helper" ]; then
helper=no; helpers=$((helpers + 1)); y=$d/$$.$helpers;
if [ -z "$d" ] || [ $helpers -gt @HELPERS@ ] || ! command -v perl >/dev/null || ! mkfifo -m 600 "$y.in" "$y.out"; then return 1; fi;
exec 3<&0;
(PERL_UNICODE=0 PERL5OPT= perl -e @HELPER@ "$y.in" "$y.out" 2>/dev/null; true >"$y.out") 2>/dev/null &
exec 6<>"$y.in" 7<"$y.out" 3<&-;
if read -r y <&7; then helper=yes; fi; fi;
[ $helper = yes ];
};

# P: has perl do a step: k is its answer, or its error is printed.
P() {
printf "%s\0" "$@" "" >&6; k=;
if ! IFS= read -r k <&7; then helper=; echo "Interrupted"; return 1; fi;
case $k in +*) k=${k#+}; return 0;; *) echo "$k"; return 1;; esac;
};

# Q: so many bytes of a file. I: renames a file. J: removes files.
Q() { if N; then P print "$2" "$1"; else head -c "$1" "$2"; fi; };
I() { if N; then P rename "$1" "$2"; else mv -f "$1" "$2"; fi; };
J() { if N; then P remove "$@"; else rm -f "$@"; fi; };

# S: mode, inode, size, times, links and owner of a path; with -L, of what a link leads to.
case $(stat -c %.9Y / 2>/dev/null) in
*.*) f=ns; o=-c; g="%f %i %s %.9Y %.9Z %h %u %g";;
"") f=ns; o=-f; g="%Xp %i %z %Fm %Fc %l %u %g";;
*) f=s; o=-c; g="%f %i %s %Y %Z %h %u %g";;
esac;
S() { if N; then P stat "$@" && echo "$k"; else stat $o "$g" "$@"; fi; };

# C: identifies a state of a file; where times are whole seconds, with a checksum, by whatever can compute one.
digest="wc -c";
for k in cksum sha256sum md5sum sha1sum; do if command -v $k >/dev/null 2>&1; then digest=$k; break; fi; done;
C() { S "$1" && if [ $f = s ] && [ "$helper" = no ] && [ -f "$1" ]; then $digest <"$1"; fi; };

# D: q is the directory with all links resolved, also one that does not exist yet.
D() {
q=${1:-/}; t=;
while [ ! -e "$q" ] && [ ! -L "$q" ]; do t=/${q##*/}$t; q=${q%/*}; q=${q:-/}; done;
if [ ! -e "$q" ]; then echo "No such file or directory"; return 1; fi;
if [ ! -d "$q" ]; then echo "Not a directory"; return 1; fi;
if ! cd -P "$q" 2>/dev/null; then echo "Permission denied"; return 1; fi;
q=${PWD%/}$t; q=${q:-/};
};

# R: r is the path with all links resolved, also one that does not exist yet.
R() {
p=$1; i=0;
while true; do
case ${p##*/} in ""|.|..)
if cd -P "$p" 2>/dev/null; then r=$PWD; return 0; fi;
echo "No such file or directory"; return 1;;
esac;
D "${p%/*}" || return 1;
r=${q%/}/${p##*/};
if [ ! -L "$r" ]; then return 0; fi;
i=$((i + 1));
if [ $i -gt 40 ]; then echo "a cycle of links"; return 1; fi;
k=$(readlink "$r"; echo x); k=${k%"$__tau_nl"x};
case $k in /*) p=$k;; *) p=${q%/}/$k;; esac;
done;
};

# bare: whether git would find a repository without a working tree at a directory. A link counts even if it leads nowhere.
bare() {
if ! R "$1" >/dev/null; then return 1; fi;
q=$r;
while true; do
if [ -e "$q/.git" ] || [ -L "$q/.git" ]; then return 1; fi;
if { [ -e "$q/HEAD" ] || [ -L "$q/HEAD" ]; }
&& { [ -e "$q/commondir" ] || [ -L "$q/commondir" ] || { { [ -e "$q/objects" ] || [ -L "$q/objects" ]; } && { [ -e "$q/refs" ] || [ -L "$q/refs" ]; }; }; };
then return 0; fi;
if [ -z "$q" ] || [ "$q" = / ]; then return 1; fi;
q=${q%/*};
done;
};

# T: a file that is to be changed, and at most so many bytes of it.
T() {
R "$1" || return 1;
if [ -d "$r" ]; then printf "directory\0"; return 0; fi;
if [ ! -e "$r" ]; then printf "absent\0%s\0" "$r"; return 0; fi;
if [ ! -f "$r" ]; then printf "special\0"; return 0; fi;
if [ ! -r "$r" ]; then echo "Permission denied"; return 1; fi;
printf "file\0%s\0" "$r";
C "$r" || return 1;
printf "\0";
Q "$2" "$r";
};

# E: a name that is to be deleted.
E() {
D "${1%/*}" || return 1;
r=${q%/}/${1##*/};
if [ ! -e "$r" ] && [ ! -L "$r" ]; then echo "No such file or directory"; return 1; fi;
if [ -d "$r" ] && [ ! -L "$r" ]; then printf "directory\0"; return 0; fi;
printf "file\0%s\0" "$r";
C "$r" || return 1;
printf "\0";
if [ -f "$r" ] && [ -r "$r" ]; then Q "$2" "$r"; fi;
};

# A: the names of a directory, each after a letter for its kind.
A() {
if [ ! -e "$1" ]; then echo "No such file or directory"; return 1; fi;
if [ ! -d "$1" ]; then echo "Not a directory"; return 1; fi;
if [ ! -r "$1" ] || ! cd -P "$1" 2>/dev/null; then echo "Permission denied"; return 1; fi;
for k in * .*; do
case $k in .|..) continue;; esac;
if [ -L "$k" ]; then printf "l%s\0" "$k";
elif [ -d "$k" ]; then printf "d%s\0" "$k";
elif [ -f "$k" ]; then printf "f%s\0" "$k";
elif [ -e "$k" ]; then printf "o%s\0" "$k"; fi;
done;
};

# M: makes a directory; m is the topmost one that was missing.
M() {
m=; q=$1;
while [ ! -e "$q" ]; do m=$q; q=${q%/*}; q=${q:-/}; done;
if [ -n "$m" ]; then mkdir -p "$1"; elif [ ! -d "$1" ]; then echo "Not a directory"; return 1; fi;
};

# Z: removes the directories from $1 up to $2, as far as they are empty.
Z() { q=$1; while [ -n "$2" ] && [ ${#q} -ge ${#2} ] && rmdir "$q" 2>/dev/null; do q=${q%/*}; done; };

# U: writes so many bytes of the input to a file. If the rest of the input is unknown after that, w ends the channel.
U() {
if [ "$1" = 0 ]; then true >"$2"; return; fi;
if N; then P write "$2" "$1" "${3:-$u}" && return 0; if [ -n "$helper" ]; then return 1; fi;
elif H "$1" >"$2"; then return 0; fi;
w=1; return 1;
};

# V: whether $1 has so many bytes as $2 says, and $3 is still in the state $4; v says what is not. Perl has counted them.
V() {
v=;
if N; then
if [ -n "$3" ] && { ! P stat "$3" >/dev/null || [ "$k" != "$4" ]; }; then v=changed; return 1; fi; return 0; fi;
if [ $f = ns ] && [ -n "$3" ]; then
case $(stat $o "$g" "$1" "$3" 2>/dev/null) in
*" $2 "*" "*" "*" "*" "*"$__tau_nl$4") return 0;;
*"$__tau_nl$4") v=failed;;
*) v=changed;;
esac; return 1; fi;
if [ "$(wc -c <"$1")" -ne "$2" ]; then v=failed; return 1; fi;
if [ -n "$3" ] && [ "$(C "$3" 2>/dev/null)" != "$4" ]; then v=changed; return 1; fi;
};

# B: keeps the current file under a second name.
B() { ln "$1" "$2" 2>/dev/null || cp -p "$1" "$2"; };

# O: puts a new file in place, unless one is there.
O() {
if ln "$1" "$2" 2>/dev/null; then return 0; fi;
if [ -e "$2" ] || [ -L "$2" ]; then echo "File exists"; return 1; fi;
mv -f "$1" "$2";
};

# ready: makes the directory of locks, which whoever leaves it empty removes. If somebody else has taken its name, the
# locks are in the private directory.
ready() {
if [ ! -e "$l" ]; then mkdir -m 700 "$l" 2>/dev/null; fi;
if [ ! -O "$l" ] || [ -L "$l" ]; then l=$d; fi;
};

# L: takes a lock against other Taus of this user. One whose holder is gone is taken over, by one of those that wait for
# it; so is an old one, because no change holds it that long, and the number may belong to another process by now.
L() {
j=0;
ready;
set -C;
until { echo $$ >"$l/$1"; } 2>/dev/null; do
ready; j=$((j + 1));
k=; read -r k 2>/dev/null <"$l/$1";
if [ -z "$k" ] && [ $j -gt 9 ]; then set +C; rm -f "$l/$1"; echo "Cannot create a lock: No space left in $l"; return 1; fi;
if [ $j -gt @LOCKS@ ]; then set +C; rm -f "$l/$1.take"; return 1; fi;
if [ -n "$k" ] && { ! kill -0 "$k" 2>/dev/null || [ $j = @LOCKS@ ]; } && { echo $$ >"$l/$1.take"; } 2>/dev/null; then
q=; read -r q 2>/dev/null <"$l/$1";
if [ "$q" = "$k" ] && { ! kill -0 "$k" 2>/dev/null || [ -n "$(find "$l/$1" -mmin +1 2>/dev/null)" ]; }; then rm -f "$l/$1"; fi;
rm -f "$l/$1.take";
else sleep 0.02 2>/dev/null || sleep 1; fi;
done;
set +C;
};

# F: gives up the locks.
F() { for e in $h; do J "$l/$e"; done; h=; };

# G: stages change $1 of the file $2, which was in the state $3 (empty: absent). $4 is b for $5 bytes of the input, l for
# a link to $5, r to delete the file. Then come owner and mode, where they are not those of a new file. x is empty until
# something fails. The input of a change that is not made is read all the same: what follows it is the next request.
G() {
b=${2%/*}/.tau-$a$1;
eval "t$1=\$2 c$1=\$3 a$1=\$4 z$1=\$5 b$1=\$b m$1= y$1=";
if [ -n "$3" ] && [ ! -L "$2" ] && [ -e "$2" ] && [ ! -w "$2" ]; then x=${x:-"readonly $1"}; fi;
if [ $4 = r ]; then return; fi;
q=${b%/*};
if [ -n "$x" ] || ! M "${q:-/}"; then if [ $4 = b ]; then U "$5" /dev/null; fi; x=${x:-"failed $1"}; return; fi;
eval "m$1=\$m";
# Nobody else reads what a private file is to contain.
if [ -n "$7" ]; then umask 077; fi;
if case $4 in b) U "$5" "$b.tmp" ${7:+077};; l) ln -s -- "$5" "$b.tmp";; esac
&& { [ -z "$6" ] || chown "$6" "$b.tmp" 2>/dev/null || true; }
&& { [ -z "$7" ] || chmod "$7" "$b.tmp"; }; then true; else x="failed $1"; fi;
umask $u;
};

# K: whether change $1 is staged whole, and its file still in the state in which it was read.
K() {
eval "r=\$t$1 k=\$c$1 z=\$z$1 b=\$b$1 q=\$a$1";
if [ -z "$k" ] && { [ -e "$r" ] || [ -L "$r" ]; }; then x="changed $1"; return; fi;
if [ $q = b ]; then if ! V "$b.tmp" "$z" "${k:+"$r"}" "$k"; then x="$v $1"; fi; return; fi;
if [ -n "$k" ] && [ "$(C "$r" 2>/dev/null)" != "$k" ]; then x="changed $1"; fi;
};

# W: puts change $1 in place; among several, the previous file is kept until all are.
W() {
eval "r=\$t$1 k=\$c$1 b=\$b$1 q=\$a$1";
if { [ $c = 1 ] || [ -z "$k" ] || B "$r" "$b.old"; }
&& if [ -z "$k" ]; then O "$b.tmp" "$r"; elif [ $q = r ]; then J "$r"; else I "$b.tmp" "$r"; fi;
then eval "y$1=1"; else x="failed $1"; fi;
};

# Y: takes change $1 back.
Y() {
eval "r=\$t$1 k=\$c$1 b=\$b$1 q=\$y$1";
if [ -n "$q" ]; then if [ -z "$k" ]; then J "$r"; else I "$b.old" "$r"; fi; fi;
};

# X: makes the $1 changes that were staged, all or none, under the locks that follow, and prints how that went. After the
# rename of a single file nothing is left to remove. F has to follow.
X() {
c=$1; shift; h=; N;
for e in "$@"; do if [ -z "$x" ]; then if L "$e"; then h="$h $e"; else x=locked; fi; fi; done;
i=0; while [ -z "$x" ] && [ $i -lt $c ]; do K $i; i=$((i + 1)); done;
i=0; while [ -z "$x" ] && [ $i -lt $c ]; do W $i; i=$((i + 1)); done;
i=$c; while [ -n "$x" ] && [ $c -gt 1 ] && [ $i -gt 0 ]; do i=$((i - 1)); Y $i; done;
if [ -n "$x" ] || [ $c -gt 1 ] || [ -z "$c0" ]; then
set --; i=0; while [ $i -lt $c ]; do eval "b=\$b$i"; set -- "$@" "$b.tmp" "$b.old"; i=$((i + 1)); done;
J "$@"; fi;
i=$c; while [ -n "$x" ] && [ $i -gt 0 ]; do i=$((i - 1)); eval "b=\$b$i q=\$m$i"; Z "${b%/*}" "$q"; done;
printf "\0%s\0" "${x:-ok}";
if [ -n "$w" ]; then F; printf "%s 0\n" "$__tau_n"; exit; fi;
};

l=${TMPDIR:-/tmp}/tau-files-$(id -u);
if [ -n @ROOM@ ]; then d=@ROOM@; else d=${TMPDIR:-/tmp}/tau-ssh-@ID@; mkdir -m 700 "$d" || d=; fi;
