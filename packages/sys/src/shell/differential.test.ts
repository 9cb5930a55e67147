/** A command in a session behaves as in a bash of its own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { runShell } from "./run.ts";
import { ShellSession } from "./session.ts";

let cwd = "";
const env = { PATH: process.env.PATH ?? "", LC_ALL: "C" };
beforeAll(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-diff-")));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Seen {
	text: string;
	exitCode: number | undefined;
	killedBy: string | undefined;
	files: string[];
}

type Run = (command: { command: string; onOutput(chunk: Uint8Array): void }) => ReturnType<typeof runShell>;

async function see(run: Run, command: string): Promise<Seen> {
	const chunks: Buffer[] = [];
	const { exitCode, killedBy } = await run({ command, onOutput: (chunk) => chunks.push(Buffer.from(chunk)) });
	const text = Buffer.concat(chunks).toString("latin1");
	// The two name themselves differently in messages, and every command of a session runs in an `eval`.
	const plain = text
		.replaceAll(/^(?:\/\S*\/)?bash: (?:eval: |-c: )?/gm, "bash: ")
		.replaceAll(/^\++ /gm, "+ ");
	return { text: plain, exitCode, killedBy, files: readdirSync(cwd).toSorted() };
}

async function both(command: string): Promise<{ plain: Seen; inSession: Seen }> {
	const rest = { timeoutMs: 20_000, signal: new AbortController().signal };
	await using session = new ShellSession({ cwd, env });
	const plain = await see((run) => runShell({ ...run, ...rest, cwd, env }), command);
	return { plain, inSession: await see((run) => session.run({ ...run, ...rest }), command) };
}

async function same(command: string): Promise<void> {
	const { plain, inSession } = await both(command);
	expect(inSession).toEqual(plain);
}

describe("the same output, exit code, signal and files", () => {
	const commands = [
		"echo hello; exit 7",
		"true",
		"false",
		"echo 1; echo 2 >&2; echo 3",
		"(echo 1 >&2; echo 2) 2>&1 | sort -r",
		"ls nope",
		"if then",
		'echo "open',
		"echo 'open",
		"cat <<END\nnever closed",
		"cat <<'END'\na $x\n\nb\nEND\necho c\n",
		"for x in; do\n  done done\n}",
		"nosuch; echo $?",
		"true\n\nnosuch-here\necho $LINENO",
		"f() {\n\n  echo $LINENO\n}\n\nf",
		"eval 'nosuch-there'",
		"cat; read line; echo $?",
		"exec sh -c 'echo replaced; exit 5'",
		"exec >&- 2>&-; sleep 0.01; exit 4",
		"exec >file; echo kept",
		"cat file",
		"test -t 0 || test -t 1 || test -t 2; echo $?",
		String.raw`printf 'a\0b\377c'`,
		String.raw`printf '\xff\xfe\x80'; printf 'no newline at the end'`,
		"kill -9 $$",
		"kill $$",
		"set -e; false; echo no",
		"set -eo pipefail; false | true; echo no",
		"set -u; echo $NOPE; echo no",
		"set -x; echo traced",
		"set -- a 'b c'; echo $# $2",
		"echo $# $1",
		'echo "${BASH_SUBSHELL} $BASH_COMMAND"',
		"shopt expand_aliases >/dev/null; declare -i n=5; n+=2; echo $n",
		"local x=1; echo $?",
		"return 3; echo $?",
		"x=1; (x=2; echo $x); echo $x",
		"echo {1..3} $((6*7)) ~root",
		"A=1 sh -c 'echo $A'; echo \"[$A]\"",
		"trap 'echo bye' EXIT; exit 2",
		"coproc cat; echo hi >&${COPROC[1]}; read -u ${COPROC[0]} x; echo $x; kill $COPROC_PID",
		"cat <(echo from) <(echo process)",
		"echo a | while read x; do echo got $x; done",
		"while read x; do echo $x; done <<< $'1\\n2'",
		"echo $((1/0)); echo after",
		"${x?is not set}; echo after",
		"readonly r=1; r=2; echo after",
		"cd /; pwd; cd - ",
		"command -v ls >/dev/null && type -t if cd ls",
		"[[ abc =~ b(.) ]] && echo ${BASH_REMATCH[1]}",
		"mkdir -p made && cd made && touch inside; ls; pwd",
		"exit 256",
		"exit abc",
		"(exit 3); echo $?; ! true; echo $?",
		"sleep 0.01 & wait $!; echo $?",
		"time true 2>/dev/null",
		"echo $'\\e[31mred\\a'",
		"ulimit -n >/dev/null; umask",
		"select x in; do :; done; echo $?",
		"case x in y) ;; esac; echo $?",
		"echo \\\n  joined",
		"# only a comment",
		"   ",
		";",
		"&& echo x",
	];
	test.each(commands)("%s", same);
});

test("and for any combination of quotes, newlines and operators", async () => {
	const piece = fc.constantFrom(
		"echo ",
		"a",
		"'",
		'"',
		"$x",
		"\n",
		";",
		"|",
		"&&",
		"(",
		")",
		"{ ",
		"}",
		"\\",
		"`",
		"$(",
		"<<E\n",
		"E\n",
		"# ",
		"=",
		" ",
	);
	const command = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));
	// The pieces only fail or print: none is a program that changes anything.
	const property = fc.asyncProperty(command, async (text) => {
		const { plain, inSession } = await both(text);
		expect(comparable(inSession, text)).toEqual(comparable(plain, text));
		const isBroken = /syntax error|unexpected EOF/.test(plain.text);
		// An error inside a substitution need not be a failure of the command around it.
		const isOutside = !/`|\$\(/.test(text);
		// For a text with an error after its first line, a separate bash returns the exit code of the lines before.
		if (!isBroken) expect(inSession.exitCode).toBe(plain.exitCode);
		else if (isOutside) expect(inSession.exitCode).toBeGreaterThan(0);
	});
	await fc.assert(property, { numRuns: samples(100) });
});

/** Both ends of a pipeline run concurrently: the order of their messages is random. */
function comparable<T extends { text: string; exitCode: unknown }>(outcome: T, command: string): T {
	// `\\&&` leaves one `&`: what is before it runs in the background.
	const isConcurrent = command.includes("|") || command.includes("\\&&");
	const text = isConcurrent ? outcome.text.split("\n").toSorted().join("\n") : outcome.text;
	return { ...outcome, text, exitCode: 0 };
}
