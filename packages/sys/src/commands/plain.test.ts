/** Which commands may run unasked where nothing contains them: plain ones, of programs and options on a closed list. */
import { expect, test } from "bun:test";

import { fixtureLines } from "./fixtures/read.ts";
import { commandFacts } from "./index.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };

/** Why a command is asked about although what it does is known. */
function whyAsked(command: string, areNames = false): string | undefined {
	const { intricate, programs } = commandFacts(command, { ...place, areNames });
	return intricate ?? programs.find(({ unlisted }) => unlisted !== undefined)?.unlisted;
}

test.each([
	"git status --short && git log --oneline -5 | head",
	"cat src/*.ts 2>/dev/null | wc -l",
	"grep -rn 'a$(b)' src || echo \"nothing in $HOME\"",
	'for f in src/*.ts; do wc -l "$f"; done',
	"if [ -f x ]; then cat x; else ls; fi",
	"(cd src; ls)",
	"ls | (cd src; cat f)",
	"cat > notes.txt <<'EOF'\n$(no code)\nEOF",
	"NODE_ENV=test LC_ALL=C sort f",
	"export NO_COLOR='1'\nls",
	"awk -F: '$3 > 10 {print $1}' f",
	"sed -n '10,20p' f",
	"sed -E 's/^ +//;s/a\\/b/c/g' f",
	"cp a b > /dev/null 2>&1",
	'basename "$PWD"',
	"cp src/{a,b}.ts d",
	"git show HEAD@{1} stash@{0}",
	"find . -name '*.ts' -exec wc -l {} +",
	"find . -type f -print0 | xargs -0 grep -n x",
	"sed -n -e '1p' -e '/x/p' f",
	"cut -d/ -f1 /etc/passwd",
	"sort -t/ -k2 f",
	"diff /etc/hosts /etc/hostname",
	"cd .. && cat ../x",
	"git restore --staged src",
	"git stash list && git stash show -p",
	"git add -A && git reset -q HEAD src",
])("%s is plain", (command) => {
	expect(whyAsked(command)).toBeUndefined();
});

test.each([
	["x=1; ls", "assigns"],
	["f() { ls; }; f", "function"],
	["bash -c ls", "changes or starts a shell"],
	// It shows all variables.
	["export", "changes or starts a shell"],
	["export | grep KEY", "changes or starts a shell"],
	["timeout 5 bash f", "timeout starts bash"],
	["for i in 1; do cd ..; done; grep -rh x .", "in which directory grep runs"],
	["for d in a b; do cd $HOME; rg x; done", "in which directory rg runs"],
	["true | cd ..; grep -rh x .", "whose directory cd changes"],
	["true | if cd ..; then ls; fi; grep -rh x .", "whose directory cd changes"],
	["cd a; cd b; cd c; cd d; cd ../..; cat f*/x", "in which directory cat runs"],
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
	['for f in *; do cat "$f"; done', "a name that * matches may be taken for an option; write ./*"],
	['for f in a {*,b}; do cat "$f"; done', ""],
	["for PATH in a; do ls; done", "only the shell knows"],
	["for f in a; do cat $f; done", "only the shell knows"],
	["[ -v x ]", "[ with -v is not on the list"],
	["printf -v x y", "printf with -v is"],
	["LANG=zh_TW.BIG5 ls", "sets LANG"],
	["LD_PRELOAD=./x ls", "sets LD_PRELOAD"],
	["awk 'BEGIN { system(\"x\") }'", "awk with 'BEGIN"],
	["awk '{ print > \"x\" }' f", "awk with '{ print"],
	["sed '1e x' f", "sed with '1e x'"],
	["sed 's/a/b/w x' f", "sed with 's/a"],
	["env -S 'ls -l'", "env is not on the list"],
	["split -e f ../x", "split is not on the list"],
	["exec 10< f", "descriptor above 9"],
	["dd if=~/f", "only the shell knows"],
	["cp -t../x a", "cp with -t"],
	["cat {a,$'b'}", "only the shell knows"],
	["cat {1..3}", "only the shell knows"],
	["cat 'a'{b,c}", "only the shell knows"],
	["echo > $'a'", "redirects"],
	["LANG=$'C' ls", "sets LANG"],
	["printf '%ln' PATH", "printf with"],
	['for f in a*; do printf "$f" x; done', "printf with"],
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
	["tar xf a.tar -C d", "is not on the list"],
	["tar -x -f a.tar", "is not on the list"],
	["git reset --hard", "is not on the list"],
	["git stash", "is not on the list"],
	["git stash pop", "is not on the list"],
	["git clean -fd", "is not on the list"],
	["git restore .", "is not on the list"],
	["git restore a.txt", "is not on the list"],
	["sleep 1 &", "goes on beside"],
	["(sleep 1; cat a > b) & ls", "goes on beside"],
	["git restore -s HEAD~1 src", "is not on the list"],
	["git restore -SW :/", "is not on the list"],
	["git -C . restore src", "is not on the list"],
	["git rm -r '*'", "is not on the list"],
	["git checkout-index -a", "is not on the list"],
	["git read-tree -u HEAD", "is not on the list"],
	["unzip a.zip -d d", "is not on the list"],
	["git branch --contains /x", "git branch with /x"],
	["docker logs /x", "docker is not on the list"],
	["sed p f -e 'w x'", "sed with"],
	["gsed '1e x' f", "gsed is not on the list"],
	["awk -vx=1 'BEGIN { system(\"x\") }'", "awk with"],
	["awk '{ if (1) {} print > \"x\" }' f", "awk with"],
])("%s is not: %s", (command, reason) => {
	expect(whyAsked(command)).toContain(reason);
});

test("of the smuggled commands, only what plainly writes in the project runs unasked", () => {
	const smuggled = fixtureLines("smuggled.txt").filter((line) => !line.startsWith("# "));
	const { unasked, byProgram } = tried(smuggled);
	expect(unasked.filter((command) => commandFacts(command, place).writes.length === 0)).toEqual([]);
	// Most are asked about for two reasons, so that a mistake of the table of known programs does no harm.
	expect(byProgram.length).toBeLessThan(smuggled.length * 0.1);
});

/** Those that run in mode `auto`, and those that only the table of known programs asks about. */
function tried(commands: readonly string[]): { unasked: string[]; byProgram: string[] } {
	const listed = commands.filter((command) => whyAsked(command) === undefined);
	const isKnown = (command: string): boolean => {
		const { programs, unknown } = commandFacts(command, place);
		return (
			unknown === undefined && programs.every((run) => run.effect !== "exec" && run.danger === undefined)
		);
	};
	return { unasked: listed.filter(isKnown), byProgram: listed.filter((command) => !isKnown(command)) };
}

test("more than half of the ordinary commands run unasked, and nearly all of those that read a project", () => {
	// In a directory without names that are options.
	const isRun = (command: string): boolean => whyAsked(command, true) === undefined;
	const ordinary = fixtureLines("ordinary.txt");
	expect(ordinary.filter(isRun).length).toBeGreaterThan(ordinary.length * 0.55);
	const reading = ordinary.filter((command) =>
		/^(?:ls|cat|head|tail|wc|grep|rg|fd|find|git|sort|cut|tr|sed|awk|jq|diff|tree|stat|file) /.test(command),
	);
	const others = reading.filter((command) => !isRun(command));
	expect({ others, isFew: others.length <= reading.length * 0.09 }).toMatchObject({ isFew: true });
});
