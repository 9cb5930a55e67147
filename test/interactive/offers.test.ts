/** What is useful and off is offered once, in one line: a key accepts it, another means never. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const altI = "\x1bi";
const altX = "\x1bx";

/** As if Tau had been started so often before. */
function startedBefore({ home }: Launched, count: number): void {
	mkdirSync(join(home, ".tau/state"), { recursive: true });
	writeFileSync(join(home, ".tau/state/starts"), String(count));
}

const answersIn = ({ home }: Launched): unknown =>
	JSON.parse(readFileSync(join(home, ".tau/state/offers.json"), "utf8"));

describe("what is offered once", () => {
	test("the first start offers the keys of the program that was used here last, and only that start", async () => {
		await using home = await launch({ steps: ["Hello."] });
		mkdirSync(join(home.home, ".codex"));
		writeFileSync(join(home.home, ".codex/config.toml"), "");
		{
			await using tau = await openTau({ steps: [] }, { home });
			await tau.until("You use codex: Tau can take its keys. alt+i to take them · alt+x for never");
			tau.type(altI);
			await tau.until("The keys are those of codex");
			await tau.untilGone("You use codex");
			expect(readFileSync(join(home.agentDir, "keybindings.yml"), "utf8")).toBe("preset: codex\n");
			// Ctrl+T is tool output there, and thinking by default.
			tau.press("ctrlT");
			await tau.until("tool output: shown");
		}
		expect(answersIn(home)).toEqual({ keys: "accepted" });
	});

	test("memory is offered when there is something to remember; never is never, and a prompt ends the offer", async () => {
		await using home = await launch({ steps: ["Hello.", "Again."] });
		startedBefore(home, 9);
		{
			await using tau = await openTau({ steps: [] }, { home });
			await tau.until("Memory is off");
			tau.type("hi\r");
			await tau.until("Hello.");
			expect(tau.screen()).not.toContain("Memory is off");
			expect(answersIn(home)).toEqual({ memory: "offered" });
		}
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("hi\r");
		await tau.until("Again.");
		expect(tau.scrollback()).not.toContain("Memory is off");
	});

	test("nothing is offered where the answer could not be remembered", async () => {
		await using home = await launch({ steps: ["Hello."] });
		startedBefore(home, 9);
		// Also for root, whom no mode of a file stops.
		mkdirSync(join(home.home, ".tau/state/offers.json"));
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("hi\r");
		await tau.until("Hello.");
		expect(tau.scrollback()).not.toContain("Memory is off");
	});

	test("servers that are defined and off are offered, and so is a language server that is missing", async () => {
		await using home = await launch({ steps: [] });
		startedBefore(home, 3);
		writeFileSync(
			join(home.agentDir, "mcp.json"),
			JSON.stringify({ mcpServers: { notes: { command: "true" } } }),
		);
		for (let at = 0; at < 6; at++) writeFileSync(join(home.project, `a${at}.zig`), "");
		{
			await using tau = await openTau(
				{ steps: [] },
				{ home, settings: "mcp:\n  enabled: false\n", cols: 120 },
			);
			await tau.until("MCP is off, and 1 server is defined here. alt+i to turn it on");
			tau.type(altI);
			await tau.until("MCP servers start with the next session");
			expect(readFileSync(join(home.agentDir, "config.yml"), "utf8")).toContain("enabled: true");
		}
		{
			await using tau = await openTau({ steps: [] }, { home, cols: 120 });
			await tau.until("zls is not installed");
			tau.type(altX);
			await tau.untilGone("zls is not installed");
		}
		expect(answersIn(home)).toEqual({ mcp: "accepted", lsp: "never" });
		expect(existsSync(join(home.agentDir, "keybindings.yml"))).toBe(false);
	});
});
