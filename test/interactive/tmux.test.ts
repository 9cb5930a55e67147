/** The whole program in a real tmux: what is on the screen, and what is in the pane's history. */
import { expect } from "bun:test";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch, root, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { Tmux } from "../support/tmux.ts";

const numbered = (word: string, count: number): string[] =>
	Array.from({ length: count }, (_, at) => `${word} ${at}.`);
const shows = (text: string) => (rows: readonly string[]) => rows.some((row) => row.includes(text));

function open({ env, project }: Launched, columns = 80): Tmux {
	const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
	const program = [join(root, "tau"), "--model", "played/played-1"];
	return new Tmux(columns, 24, ["env", "-i", ...variables, ...program], project);
}

// As in a pane: there Tau keeps the history, and user messages have a background as wide as the pane.
const inPane = { TERM: "tmux-256color", COLORTERM: "truecolor", TMUX: "/nowhere,1,0", LANG: "C.UTF-8" };

needs("tmux")(
	"in tmux a prompt runs tools, is steered, stopped and looked into, and nothing is lost",
	async () => {
		const wait = {
			toolCall: { name: "bash", arguments: { command: "seq 3; until [ -e go ]; do sleep 0.05; done" } },
		};
		const scenario: Scenario = {
			steps: [
				{ answer: { blocks: [wait] } },
				numbered("line", 60).join("\n\n"),
				{ answer: { blocks: [{ text: "Slowly, slowly.", chunks: 2 }], delayMs: 60_000 } },
			],
		};
		await using home = await launch(scenario);
		using tmux = open(home);
		await tmux.until(shows("played-1"));
		tmux.keys("begin");
		tmux.press("Enter");
		await tmux.until(shows("bash $ seq 3"));
		tmux.keys("and hurry");
		tmux.press("Enter");
		await tmux.until(shows("Steering:  and hurry"));
		await Bun.write(join(home.project, "go"), "");
		await tmux.until(shows("line 59."));
		tmux.keys("again");
		tmux.press("Enter");
		await tmux.until(shows("esc to interrupt"));
		tmux.resize(60, 20);
		tmux.press("Escape");
		await tmux.until((rows) => !shows("esc to interrupt")(rows));
		tmux.keys("/mu-tools");
		tmux.press("Enter");
		await tmux.until(shows("Tool results"));
		tmux.press("Escape");
		const rows = await tmux.until((seen) => !shows("Tool results")(seen));
		const lines = rows.map((row) => row.trim()).filter((row) => row.startsWith("line "));
		expect(lines).toEqual(numbered("line", 60));
		expect(home.played.requests[1]?.rawBody).toContain("and hurry");
	},
);

for (const [from, to] of [
	[100, 60],
	[120, 80],
	[90, 70],
] as const)
	needs("tmux")(
		`a pane that narrows from ${from} to ${to} columns shows no row of short turns twice`,
		async () => {
			const answers = ["one", "two", "three"].map((word) => `Answer ${word} is short, and all is well.`);
			await using home = await launch({ steps: answers });
			using tmux = open({ ...home, env: { ...home.env, ...inPane } }, from);
			await tmux.until(shows("played-1"));
			for (const [at, answer] of answers.entries()) {
				tmux.keys(`question ${at}`);
				tmux.press("Enter");
				await tmux.until((rows) => shows(answer)(rows) && !shows("esc to interrupt")(rows));
			}
			tmux.resize(to, 24);
			// The border of the editor is as wide as the pane again.
			const rows = await tmux.until((seen) => seen.filter((row) => row === "─".repeat(to)).length === 2);
			const seen = rows.map((row) => row.trim()).filter((row) => /^(?:❯ question|Answer)/.test(row));
			expect(seen).toEqual(answers.flatMap((answer, at) => [`❯ question ${at}`, answer]));
		},
	);
