/** Which commands may run unasked where nothing contains them: a second reading, which knows no state of the shell. */
import { expect, test } from "bun:test";

import { fixtureLines } from "./fixtures/read.ts";
import { commandFacts } from "./index.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };

test.each([
	"git status --short && git log --oneline -5 | head",
	"cat src/*.ts 2>/dev/null | wc -l",
	"grep -rn 'a$(b)' src || echo \"nothing in $HOME\"",
	'for f in src/*.ts; do wc -l "$f"; done',
	"if [ -f x ]; then cat x; else ls; fi",
	"(cd src; ls)",
	"cat > notes.txt <<'EOF'\n$(no code)\nEOF",
	"NODE_ENV=test LC_ALL=C sort f",
	"export NO_COLOR='1'\nls",
	"awk -F: '$3 > 10 {print $1}' f",
	"sed -n '10,20p' f",
	"sed -E 's/^ +//;s/a\\/b/c/g' f",
	"cp a b > /dev/null 2>&1",
	"ln -s ../lib/x bin/x",
	'basename "$PWD"',
	"cp src/{a,b}.ts d",
	"git show HEAD@{1} stash@{0}",
	"find . -name '*.ts' -exec wc -l {} +",
	"find . -type f -print0 | xargs -0 grep -n x",
	"find . -name '*.ts' | xargs wc -l",
	"echo src/a src/b | xargs cat",
	"tar czf a.tgz src",
	"sed -n -e '1p' -e '/x/p' f",
	"cut -d/ -f1 /etc/passwd",
	"sort -t/ -k2 f",
	"diff /etc/hosts /etc/hostname",
	"cd .. && cat ../x",
	"git restore --staged src",
	"git rm src/a.ts && git rm -r --cached src",
	"git stash list && git stash show -p",
	"git add -A && git reset src",
])("%s is plain", (command) => {
	expect(commandFacts(command, place).intricate).toBeUndefined();
});

test.each([
	["x=1; ls", "assigns"],
	["f() { ls; }; f", "function"],
	["bash -c ls", "changes or starts a shell"],
	["timeout 5 bash f", "timeout starts bash"],
	['cat "$x"', "only the shell knows"],
	["cat $(ls)", "only the shell knows"],
	["cat ${HOME%/*}/x", "only the shell knows"],
	["cat ~ann/x", "only the shell knows"],
	["echo ${x@P}", "only the shell knows"],
	["echo $'a\\nb'", "only the shell knows"],
	["diff <(ls) f", "only the shell knows"],
	["ls > /dev/stdin", "redirects"],
	["ls 3> f", "redirects"],
	["grep x <<E\nx\nE", "redirects"],
	["cat <<$x\n$(ls)\n$x", ""],
	["{ head -c 3; cat; } < f", "share their input"],
	['for f in *; do cat "$f"; done', "only the shell knows"],
	["for PATH in a; do ls; done", "only the shell knows"],
	["for f in a; do cat $f; done", "only the shell knows"],
	["[ -v x ]", "evaluates"],
	["printf -v x y", "evaluates"],
	["LANG=zh_TW.BIG5 ls", "sets LANG"],
	["LD_PRELOAD=./x ls", "sets LD_PRELOAD"],
	["awk 'BEGIN { system(\"x\") }'", "script of awk"],
	["awk '{ print > \"x\" }' f", "script of awk"],
	["sed '1e x' f", "script of sed"],
	["sed 's/a/b/w x' f", "script of sed"],
	["env -S 'ls -l'", "takes a text apart"],
	["split -e f ../x", "outside of the project"],
	["exec 10< f", "descriptor above 9"],
	["dd if=~/f", "only the shell knows"],
	["cp -t../x a", "outside of the project"],
	["cat {a,$'b'}", "only the shell knows"],
	["cat {1..3}", "only the shell knows"],
	["cat 'a'{b,c}", "only the shell knows"],
	["echo > $'a'", "redirects"],
	["LANG=$'C' ls", "sets LANG"],
	["printf '%ln' PATH", "evaluates"],
	['for f in a*; do printf "$f" x; done', "evaluates"],
	["xargs cat < list", "only the input of xargs"],
	["find . -name x | xargs cat", "only the input of xargs"],
	["xargs -a list head -3", "only the input of xargs"],
	["ls | timeout 5 xargs cat", "only the input of xargs"],
	["printf '%s' /x | xargs cat", "only the input of xargs"],
	["cat list | xargs git diff --no-index a --", "only the input of xargs"],
	["xargs -a list -I{} git config -f {} --list", "only the input of xargs"],
	["cat list | xargs file -m m --", "only the input of xargs"],
	["cat list | xargs -I{} wc --files0-from={}", "only the input of xargs"],
	['for f in .netrc x; do cat "$HOME/$f"; done', "only the shell knows"],
	['for f in home x; do cat "../$f/.netrc"; done', "only the shell knows"],
	['for f in L a; do cat ./"$f"*; done', "only the shell knows"],
	["tar xf a.tar -C d", "only the archive"],
	["tar -x -f a.tar", "only the archive"],
	["git reset --hard", "only the repository"],
	["git stash", "only the repository"],
	["git stash pop", "only the repository"],
	["git clean -fd", "only the repository"],
	["git restore .", "only the repository"],
	["git restore a.txt", "only the repository"],
	["sleep 1 &", "goes on beside"],
	["(sleep 1; cat a > b) & ls", "goes on beside"],
	["git restore -s HEAD~1 src", "only the repository"],
	["git restore -SW :/", "only the repository"],
	["git -C . restore src", "only the repository"],
	["git rm -r '*'", "only the repository"],
	["git checkout-index -a", "only the repository"],
	["git read-tree -u HEAD", "only the repository"],
	["unzip a.zip -d d", "only the archive"],
	["git branch --contains /x", "only git knows"],
	["docker logs /x", "only docker knows"],
	["sed p f -e 'w x'", "script of sed"],
	["gsed '1e x' f", "script of gsed"],
	["awk -vx=1 'BEGIN { system(\"x\") }'", "script of awk"],
	["awk '{ if (1) {} print > \"x\" }' f", "script of awk"],
])("%s is not: %s", (command, reason) => {
	expect(commandFacts(command, place).intricate).toContain(reason);
});

test("of the smuggled commands, all but a few that depend on one program's options are caught by both readings", () => {
	const smuggled = fixtureLines("smuggled.txt").filter((line) => !line.startsWith("# "));
	const caughtOnce = smuggled.filter((command) => {
		const { programs, writes, unknown, intricate } = commandFacts(command, place);
		const isOfTable =
			programs.some(({ effect, network }) => effect === "exec" || network) || writes.length > 0;
		return unknown !== undefined && intricate === undefined && !isOfTable;
	});
	const byShell = caughtOnce.filter(
		(command) =>
			!/^(?:ls \| |echo \| |command |\S*\/)?(?:git|tar|xargs|env|find|chrt|ionice|taskset|time|systemd-inhibit)\b/.test(
				command,
			),
	);
	expect(byShell).toEqual([]);
	expect(caughtOnce.length).toBeLessThan(80);
});

test("more than nine of ten ordinary commands are plain", () => {
	const ordinary = fixtureLines("ordinary.txt");
	const others = ordinary.filter((command) => commandFacts(command, place).intricate !== undefined);
	expect({ others, isFew: others.length <= ordinary.length * 0.08 }).toMatchObject({ isFew: true });
});
