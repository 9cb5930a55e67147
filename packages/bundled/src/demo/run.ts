/** "run CMD" runs it exactly; "run the tests" finds out first how this project runs its tests. */
import { type Entry, listCommand, manifestsIn, readListing } from "./describe.ts";
import type { Intent } from "./intent.ts";
import { readManifest } from "./manifest.ts";
import { bash, read, say, type Step } from "./step.ts";
import { block, code, exitCode, failureText, filePart, gist, paragraphs, plural, printed } from "./text.ts";
import type { Outcome, Turn } from "./turn.ts";

const commandNotFound = 127;

export function run({ command, loose }: Extract<Intent, { kind: "run" }>, turn: Turn): Step {
	if (loose) {
		const advice = "To run it as one command, put it between two lines of three backticks.";
		return [say(`That is more than one line. ${advice}`)];
	}
	const outcome = turn.rounds[0]?.[0];
	if (!outcome) return [say(`Running ${code(command)}.`), bash(command)];
	const isUnknown = exitCode(outcome) === commandNotFound;
	return [
		say(
			paragraphs(
				ending(command, outcome),
				isUnknown
					? "The demo runs your text exactly as typed, and the shell found no such command."
					: undefined,
			),
		),
	];
}

export function runTests({ fix }: Extract<Intent, { kind: "test" }>, turn: Turn): Step {
	const [looks, ...later] = turn.rounds;
	const [listed] = looks ?? [];
	if (!listed) return [say("Let me see how this project runs its tests."), bash(listCommand)];
	if (listed.failed) return [say(failureText(listed))];
	const outcomes = later.flat();
	const ran = outcomes.find(({ tool }) => tool === "bash");
	if (ran) {
		const more = fix && exitCode(ran) !== 0 ? "Fixing what fails needs a real model: `/login`." : undefined;
		return [say(paragraphs(ending(String(ran.arguments.command), ran), more))];
	}
	const entries = readListing(listed.text);
	const manifests = manifestsIn(entries);
	if (outcomes.length === 0 && manifests.length > 0 && turn.tools.has("read"))
		return manifests.map((file) => read(file));
	const command = testCommand(entries, outcomes);
	if (command === undefined)
		return [say("I found no tests here that I know how to run. To run them, say `run` and the command.")];
	return [say(`Running ${code(command)}.`), bash(command)];
}

/** The project's own command first; pytest where the files look like it. */
function testCommand(entries: readonly Entry[], reads: readonly Outcome[]): string | undefined {
	const names = entries.map(({ name }) => name);
	const commands = reads
		.filter(({ failed }) => !failed)
		.flatMap(({ arguments: { path }, text }) => {
			const manifest = readManifest(String(path), filePart(text).lines.join("\n"), names);
			return manifest ? [...manifest.commands, ...manifest.start] : [];
		});
	const own = commands.find((command) => / test(?: |$)/.test(command));
	const isPython = names.some((name) => /^(?:pytest\.ini|conftest\.py|test_.+\.py|.+_test\.py)$/.test(name));
	const hasPythonTests = names.includes("pyproject.toml") && names.includes("tests");
	return own ?? (isPython || hasPythonTests ? "python3 -m pytest -q" : undefined);
}

function ending(command: string, outcome: Outcome): string {
	const exit = exitCode(outcome);
	if (exit === undefined) return failureText(outcome);
	const output = printed(outcome);
	const lines = Math.max(outcome.totalLines ?? 0, output.split("\n").length);
	const how = exit === 0 ? "succeeded (exit code 0)" : `failed with exit code ${exit}`;
	return paragraphs(
		`${code(command)} ${how} and printed ${output === "" ? "nothing" : plural(lines, "line")}.`,
		output === "" ? undefined : block(gist(output)),
	);
}
