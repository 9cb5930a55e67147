import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples, some } from "../../../../test/support/depth.ts";
import { commandFacts, matchesRule, parseCommandRule, type CommandFacts, type CommandRule } from "./index.ts";

const place = { cwd: "/home/u/p", home: "/home/u" };

function rule(text: string): CommandRule {
	const parsed = parseCommandRule(text);
	if ("problem" in parsed) throw new Error(parsed.problem);
	return parsed;
}

const allowRules = ["git log:*", "npm test:*", "ls:*", "echo:*", "cat:*"].map(rule);
const denyRule = rule("rm:*");

/** Allowed by rules alone: the policy asks about everything else. */
function isAllowed({ programs, writes, unknown }: CommandFacts): boolean {
	if (unknown !== undefined || writes.length > 0) return false;
	if (programs.some((run) => matchesRule(denyRule, run, "restrict"))) return false;
	return programs.every(
		(run) => run.effect === "read" || allowRules.some((allow) => matchesRule(allow, run)),
	);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const doubleQuoted = (text: string): string => `"${text.replace(/[\\"$`]/gu, "\\$&")}"`;

/** Ways to run a command inside of another. */
const wrappings: readonly ((command: string) => string)[] = [
	(c) => `git log && ${c}`,
	(c) => `git log; ${c}`,
	(c) => `git log\n${c}`,
	(c) => `git log & ${c}`,
	(c) => `git log | ${c}`,
	(c) => `git log || ${c}`,
	(c) => `${c}; ls`,
	(c) => `${c} | cat`,
	(c) => `${c} && npm test`,
	(c) => `${c} &`,
	(c) => `(${c})`,
	(c) => `{ ${c}\n}`,
	(c) => `! ${c}`,
	(c) => `time { ${c}\n}`,
	(c) => `echo $(${c}\n)`,
	(c) => `echo "$(${c}\n)"`,
	(c) => `cat <(${c}\n)`,
	(c) => `ls > >(${c}\n)`,
	(c) => `x=$(${c}\n)`,
	(c) => `echo \${x:-$(${c}\n)}`,
	(c) => `echo $((1 + $(${c}\n)))`,
	(c) => `cat <<EOF\n$(${c}\n)\nEOF`,
	(c) => `if true; then ${c}\nfi`,
	(c) => `if ${c}\nthen ls; fi`,
	(c) => `while true; do ${c}\ndone`,
	(c) => `for x in a b; do ${c}\ndone`,
	(c) => `case x in x) ${c}\n;; esac`,
	(c) => `f() { ${c}\n}; f`,
	(c) => `bash -c ${quoted(c)}`,
	(c) => `sh -c ${doubleQuoted(c)}`,
	(c) => `bash -euo pipefail -c ${quoted(c)}`,
	(c) => `eval ${quoted(c)}`,
	(c) => `bash <<'END_OF_SCRIPT'\n${c}\nEND_OF_SCRIPT`,
	(c) => `trap ${quoted(c)} EXIT`,
	(c) => `env A=1 bash -c ${quoted(c)}`,
	(c) => `timeout 5 sh -c ${quoted(c)}`,
	(c) => `sudo bash -c ${quoted(c)}`,
	(c) => `nice -n 5 bash -c ${quoted(c)}`,
	(c) => `find . -exec sh -c ${quoted(c)} \\;`,
	(c) => `ls | xargs -0 -n1 sh -c ${quoted(c)}`,
	(c) => `cd src && ${c}`,
	(c) => `[[ -n $(${c}\n) ]] && ls`,
	(c) => `a[$(${c}\n)]=1`,
	(c) => `ls # comment\n${c}`,
	(c) => `ls \\\n; ${c}`,
	(c) => `watch -n 1 ${quoted(c)}`,
];
const denied = [
	"rm a",
	"rm -rf b",
	"/bin/rm a",
	"\\rm a",
	"'rm' a",
	"r''m a",
	"$'rm' a",
	"command rm a",
	"env rm a",
	"X=1 rm a",
	"busybox rm a",
	"nohup rm a",
	"rm $x",
	"ls | xargs rm",
	"find . -exec rm {} +",
];

describe("judging commands", () => {
	test("no wrapping or joining makes a denied command allowed", () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...denied),
				fc.array(fc.constantFrom(...wrappings), { maxLength: 4 }),
				(command, around) => {
					const wrapped = around.reduce<string>((inner, wrap) => wrap(inner), command);
					const facts = commandFacts(wrapped, place);
					expect(isAllowed(facts)).toBe(false);
					// What is understood names the denied program.
					if (facts.unknown === undefined)
						expect(facts.programs.some((run) => matchesRule(denyRule, run, "restrict"))).toBe(true);
				},
			),
			{ numRuns: samples(3000) },
		);
	});

	test("every single wrapping of a denied command is understood, and still denied", () => {
		const missed = wrappings
			.flatMap((wrap) => denied.map(wrap))
			.filter((command) => {
				const { programs } = commandFacts(command, place);
				return !programs.some((run) => matchesRule(denyRule, run, "restrict"));
			});
		expect(missed).toEqual([]);
	});

	test("a write stays listed in whatever it is wrapped", () => {
		fc.assert(
			fc.property(
				fc.constantFrom("echo x > out", "ls | tee out", "sort -o out a", "git log --output=out", "ls &> out"),
				fc.array(fc.constantFrom(...wrappings), { maxLength: 3 }),
				(command, around) => {
					const facts = commandFacts(
						around.reduce<string>((inner, wrap) => wrap(inner), command),
						place,
					);
					expect(facts.unknown !== undefined || facts.writes.length > 0).toBe(true);
				},
			),
			{ numRuns: samples(1500) },
		);
	});

	test("no text makes it throw", () => {
		const pieces = fc.constantFrom(
			..."$ ( ) ((  )) { } [ ] [[ ]] ' \" ` \\ < > << <<- <<< >> & && | || ; ;; \n \t # ! ~ * ? = += $' $\" ${ $( $(( <( >( @P if then fi do done case esac in for while function eval bash -c xargs find -exec {} sed s/a/b/e awk tar git -c rm a x=1 EOF -- -o --output= 1 2> é \0".split(
				" ",
			),
		);
		fc.assert(
			fc.property(fc.array(pieces, { maxLength: 40 }), fc.boolean(), (parts, spaced) => {
				commandFacts(parts.join(spaced ? " " : ""), place);
			}),
			{ numRuns: samples(5000) },
		);
		fc.assert(
			fc.property(
				fc.string({ maxLength: 200, unit: anyCharacter }),
				(text) => void commandFacts(text, place),
			),
			{ numRuns: samples(2000) },
		);
	});

	test("hostile texts of 64 KB are judged in bounded work", () => {
		const size = 64 * 1024;
		const units = [
			"(",
			"((",
			"$(",
			"$((",
			"${",
			"{",
			"[[ ",
			"`",
			"\\`",
			"'",
			'"',
			"<(",
			"if ",
			"case x in x) ",
			"f() { ",
			"a;",
			"a|",
			"a&&",
			"a=(",
			"a[",
			"${a[",
			"<<A ",
			"\\\n",
			"*(",
			"@(",
			"{a,",
			"{a,b}",
			"$x",
			"$((a[",
			"for ((",
			"! ",
			"time ",
			"env ",
			"sudo ",
			"bash -c '",
			"xargs ",
			"eval ",
			"\\",
			"a\n",
			"#",
			"$'\\x41' ",
			"[",
			"s/[/",
			'"$(',
			"x=1 ",
			"> ",
			">a ",
			"2>&1 ",
			"find . -exec ",
			"(a)",
			"$(a)",
			"((1))",
			"[[ a ]]&&",
		];
		const slow: string[] = [];
		for (const unit of some(units, 12)) {
			for (const text of [
				unit.repeat(size / unit.length),
				`${unit.repeat(size / 2 / unit.length)}${")".repeat(size / 2)}`,
				`sed '${unit.repeat(8000 / unit.length)}'`,
				`awk '${unit.repeat(8000 / unit.length)}'`,
			]) {
				const before = process.cpuUsage();
				commandFacts(text, place);
				if (process.cpuUsage(before).user > 2_000_000) slow.push(unit);
			}
		}
		expect(slow).toEqual([]);
	});
});
