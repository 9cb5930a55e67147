/** A command that asks for a terminal has one on the screen of the real program, and the user types into it. */
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { openTau, type OpenTau } from "./driver.ts";

const ctrlBracket = "\x1d";
const ctrlT = "\x14";

const bash = (command: string, more: Record<string, unknown> = {}) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command, pty: true, ...more } } }] },
});

/** A terminal that opens soon after a key does not take the next one. */
async function takeKeys(tau: OpenTau): Promise<void> {
	await tau.until(/keys go to the program|ctrl\+x to type into it/);
	if (tau.screen().includes("ctrl+x to type into it")) tau.press("ctrlX");
	await tau.until("keys go to the program");
}

/** What the model read last. */
function lastResult(tau: OpenTau): string {
	const body = JSON.stringify(tau.home.played.requests.at(-1)?.body);
	const messages = body.slice(0, body.indexOf('"tools":'));
	return messages.slice(messages.lastIndexOf('"tool_result"'));
}

needs("less", "python3")(
	"the user answers a prompt, works in a pager, types into a job, leaves a terminal and stops it; the model reads what was on the screen",
	async () => {
		const ask = `python3 -c 'name = input("who? "); print("\\x1b]52;c;ZXZpbA==\\x07hello", name)'`;
		const page = "seq 300 > numbers; less numbers; echo left; stty size";
		const started = "read -p 'where? ' x; echo to $x; read y";
		const stubborn = "trap '' INT; echo waiting; while :; do sleep 0.05; done";
		await using tau = await openTau(
			{
				steps: [
					bash(ask),
					"Asked.",
					bash(page),
					"Paged.",
					bash(started, { async: true }),
					"Started.",
					bash(stubborn),
					"Never.",
				],
			},
			{ cols: 90, rows: 30 },
		);
		await tau.until("played-1");
		tau.type("one\r");
		await takeKeys(tau);
		await tau.until(/^who\?/m);
		tau.type("tau\r");
		await tau.until("Asked.");
		expect(lastResult(tau)).toContain('"text":"who? tau\\nhello tau"');

		tau.type("two\r");
		await takeKeys(tau);
		await tau.until(/^21$/m);
		tau.type("G");
		await tau.until(/^300$/m);
		tau.resize({ cols: 100, rows: 36 });
		await tau.until(/^~$/m);
		tau.type("g");
		await tau.until(/^27$/m);
		tau.press("down");
		await tau.until(/^28$/m);
		tau.type("q");
		await tau.until("Paged.");
		expect(lastResult(tau)).toContain('"text":"left\\n28 100"');

		tau.type("job\r");
		await tau.until("Started.");
		tau.type("/jobs\r");
		await tau.until("ctrl+t type into it");
		tau.type(ctrlT);
		await tau.until(/^where\?/m);
		tau.type("home\r");
		await tau.until(/^to home$/m);
		tau.type(ctrlBracket);
		await tau.untilGone("other keys");

		tau.type("three\r");
		await takeKeys(tau);
		await tau.until(/^waiting$/m);
		tau.press("ctrlC");
		tau.type(ctrlBracket);
		await tau.until("ctrl+x to type into it");
		tau.type("a note");
		await tau.until("a note");
		tau.press("ctrlX");
		await tau.until("keys go to the program");
		tau.type(ctrlBracket);
		await tau.until("ctrl+x to type into it");
		tau.press("ctrlC", "escape");
		await tau.untilGone("to type into it");
		// The sequence that would fill the clipboard stayed in the emulator.
		expect(tau.bytes.includes("\x1b]52;")).toBe(false);
		expect(readFileSync(join(tau.home.project, "numbers"), "utf8")).toStartWith("1\n2\n");
	},
);
