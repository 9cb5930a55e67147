/** The screen and a client of RPC mode say the same about a session: both run the same commands. */
import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { startRpc } from "../rpc/rpc-process.ts";
import { openTau } from "./driver.ts";

/** Commands whose reply is a sentence that depends on nothing but the session. */
const same = [
	"/name",
	"/name two  words",
	"/name",
	"/goal",
	"/goal test -e made",
	"/goal --off",
	"/label here",
	"/jobs",
	"/mode ask",
	"/mode wrong",
	"/plan",
	"/plan",
	"/thinking",
	"/permissions",
	"/clone now",
	"/context wrong",
	"/compact undo",
	"/rewind redo",
	"/rewind nowhere",
	"/todo wrong",
	"/mcp",
	"/debugger",
	"/browser",
	"/browser headless",
	"/lsp",
	"/machine local",
	"/usage",
	"/hooks",
	"/settings get nothing",
	"/settings set retry.enabled false",
	"/memory nothing",
	"/agents stop nobody",
	"/ask",
	"/btw",
	"/import",
	"/sandbox wrong",
	"/review --al",
	"/nam",
];

test("a command says the same on the screen and over RPC", async () => {
	await using home = await launch({ steps: [] });
	await using rpc = startRpc(home);
	await using tau = await openTau({ steps: [] }, { cols: 200, rows: 50 });
	await tau.until("played-1");
	for (const line of same) {
		const [, name = "", args = ""] = /^\/(\S+)\s*(.*)$/.exec(line) ?? [];
		const response = await rpc.ask({ type: "run_command", name, args });
		const { text = "" } = (response.data ?? {}) as { text?: string };
		const said = response.success === true ? text : String(response.error);
		expect(said).not.toBe("");
		const count = (): number => spaced(tau.scrollback()).split(spaced(said)).length;
		const before = count();
		tau.type(`${line}\r`);
		await tau.untilDrawn(() => count() > before, `said "${said}" to ${line}`);
		// An unknown name stays in the editor.
		if (line === "/nam") tau.press("ctrlC");
	}
});

/** Lines are wrapped and indented on the screen. */
function spaced(text: string): string {
	return text.replaceAll(/[\s│·✓!]+/g, " ").trim();
}
