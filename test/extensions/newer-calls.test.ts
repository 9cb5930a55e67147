/** The newer extension API in the real program: refused trust, text transforms, dialogs, side turns. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { openTau } from "../interactive/driver.ts";
import { launch, root } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const examples = join(root, "packages/coding-agent/examples/extensions");

test("project_trust: a no of the user's extension overrides a saved yes, and --trust overrides that", async () => {
	await using tau = await launch({ steps: [], fallback: "Ok." });
	const own = join(tau.agentDir, "extensions");
	const theirs = join(tau.project, ".tau/extensions");
	for (const folder of [own, theirs]) mkdirSync(folder, { recursive: true });
	writeFileSync(
		join(theirs, "own.ts"),
		`export default (pi) => { pi.on("session_start", (_, ctx) => ctx.ui.notify("of the project")); };`,
	);
	writeFileSync(join(tau.agentDir, "trust.json"), JSON.stringify({ projects: { [tau.project]: true } }));
	expect((await tau.run(["-p", ...model, "hi"])).err).toBe("tau: of the project\n");
	const strict = join(own, "strict.ts");
	writeFileSync(strict, `export default (pi) => { pi.on("project_trust", () => ({ trusted: "no" })); };`);
	const { err, out } = await tau.run(["-p", ...model, "hi"]);
	expect(err).not.toContain("of the project\n");
	expect(out).toBe("Ok.\n");
	expect((await tau.run(["-p", ...model, "--trust", "hi"])).err).toBe("tau: of the project\n");
});

test("in the terminal text is transformed, questions are asked in order, and asides leave no trace", async () => {
	const args = ["fine-print.ts", "interview.ts", "by-the-way.ts"].flatMap((name) => [
		"-e",
		join(examples, name),
	]);
	await using tau = await openTau({ steps: ["left --> right", "An aside.", "Built."] }, { args });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("left → right");
	tau.type("/btw what?\r");
	await tau.until("An aside.");
	tau.type("/interview a clock\r");
	await tau.until("How big?");
	tau.type("\r");
	await tau.until("With what?");
	tau.type(" \r");
	await tau.until("Anything else?");
	tau.type("be kind\r");
	await tau.until("Built.");
	const asked = tau.home.played.requests[2]?.rawBody ?? "";
	expect(asked).toContain("Build a clock.\\nHow big? a script\\nWith what? tests\\nAnything else? be kind");
	expect(asked).toContain("left --> right");
	expect(asked).not.toContain("An aside.");
});
