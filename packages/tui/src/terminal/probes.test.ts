/** Questions to the terminal, each with its own sentinel. */
import { expect, test } from "bun:test";

import { Probes, type Probe } from "./probes.ts";
import type { Reply } from "./replies.ts";

function ask(...probes: Probe[]) {
	const answers: [Probe, Reply["kind"] | undefined][] = [];
	const asked = new Probes((probe, reply) => answers.push([probe, reply?.kind]));
	const bytes = asked.ask(probes);
	return { asked, answers, bytes };
}

test("a question that the terminal skips is known to have no answer, and is not mixed up with another", () => {
	using stack = new DisposableStack();
	const { asked, answers } = ask("keyboard", "background", "syncOutput");
	stack.use(asked);
	asked.hear({ kind: "sentinel" });
	asked.hear({ kind: "background", red: 0, green: 0, blue: 0 });
	asked.hear({ kind: "sentinel" });
	expect(asked.waiting).toBe(true);
	asked.hear({ kind: "mode", mode: 2026, state: 2 });
	asked.hear({ kind: "sentinel" });
	expect(answers).toEqual([
		["keyboard", undefined],
		["background", "background"],
		["syncOutput", "mode"],
	]);
	expect(asked.waiting).toBe(false);
});

test("every question is followed by a sentinel", () => {
	using stack = new DisposableStack();
	const { asked, bytes } = ask("keyboard", "cellSize");
	stack.use(asked);
	expect(bytes).toBe("\x1b[?u\x1b[c\x1b[16t\x1b[c");
});

test("what the terminal says unasked is heard too", () => {
	const { asked, answers } = ask();
	asked.hear({ kind: "background", red: 1, green: 1, blue: 1 });
	asked.hear({ kind: "sentinel" });
	expect(answers).toEqual([["background", "background"]]);
	asked[Symbol.dispose]();
});
