# The program of a channel that works on files. It is joined to one line, so that each line ends a statement. Paths are
# absolute. Only POSIX, and what GNU, BSD and busybox have in common; where they differ, what is there is looked up once.

trap "" PIPE;
exec 2>&1;
LC_ALL=C; export LC_ALL; unset CDPATH ENV;
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin};

# H: exactly so many bytes of the input, and none of what follows.
case $(head --version 2>/dev/null) in
*GNU*|*uutils*) H() { head -c "$1"; };;
*) H() { if [ "$1" != 0 ]; then dd bs=1 count="$1" 2>/dev/null; fi; };;
esac;

# S: mode, inode, size, times, links and owner of a path; with -L, of what a link leads to.
case $(stat -c %.9Y / 2>/dev/null) in
*.*) f=ns; o=-c; g="%f %i %s %.9Y %.9Z %h %u %g";;
"") f=ns; o=-f; g="%Xp %i %z %Fm %Fc %l %u %g";;
*) f=s; o=-c; g="%f %i %s %Y %Z %h %u %g";;
esac;
S() { stat $o "$g" "$@"; };

# C: identifies a state of a file; where times are whole seconds, with a checksum.
C() { S "$1" && if [ $f = s ] && [ -f "$1" ]; then cksum <"$1"; fi; };

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
k=$(readlink "$r"; echo x); k=${k%"$nl"x};
case $k in /*) p=$k;; *) p=${q%/}/$k;; esac;
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
head -c "$2" "$r";
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
if [ -f "$r" ] && [ -r "$r" ]; then head -c "$2" "$r"; fi;
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

# U: writes so many bytes of the input to a file. If that fails, the rest of the input is unknown: w ends the channel.
U() { if [ "$1" = 0 ]; then true >"$2"; else H "$1" >"$2"; fi || { w=1; false; }; };

# V: whether $1 has so many bytes as $2 says, and $3 is still in the state $4; v says what is not.
V() {
v=;
if [ $f = ns ] && [ -n "$3" ]; then
case $(stat $o "$g" "$1" "$3" 2>/dev/null) in
*" $2 "*" "*" "*" "*" "*"$nl$4") return 0;;
*"$nl$4") v=failed;;
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

# L: takes a lock against other Taus of this user; one whose holder is gone is taken over.
L() {
j=0;
set -C;
until { echo $$ >"$l/$1"; } 2>/dev/null; do
k=$(cat "$l/$1" 2>/dev/null);
if [ -n "$k" ] && ! kill -0 "$k" 2>/dev/null; then rm -f "$l/$1"; continue; fi;
j=$((j + 1));
if [ $j -gt @LOCKS@ ]; then set +C; return 1; fi;
sleep 0.02 2>/dev/null || sleep 1;
done;
set +C;
};

l=${TMPDIR:-/tmp}/tau-files-$(id -u);
mkdir -m 700 "$l" 2>/dev/null;
if [ -n @ROOM@ ]; then d=@ROOM@; else d=${TMPDIR:-/tmp}/tau-ssh-@ID@; mkdir -m 700 "$d" || d=; fi;
