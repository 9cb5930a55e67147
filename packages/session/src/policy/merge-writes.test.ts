/** What an agent changed in its tree is judged again before it is written into the project. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { answering, bash, fixture, useDirectories, type Fixture } from "../../../../test/support/policy.ts";

let base = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-merge-test-")));
	useDirectories(base);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("the merge of an agent's tree", () => {
	const signal = new AbortController().signal;
	const merge = (made: Fixture, ...names: string[]): Promise<ReadonlyMap<string, string>> =>
		made.policy.refusedWrites(
			{ agent: "Worker", paths: names.map((name) => join(base, "project", name)), preview: () => undefined },
			signal,
		);

	test("is asked about what a direct write is asked about, with the name of the agent", async () => {
		const made = await fixture({ mode: "auto", boundary: "sandbox" });
		const shown = answering(made, "once");
		expect((await merge(made, "src/a.ts")).size).toBe(0);
		expect(shown).toEqual([]);
		expect((await merge(made, "src/a.ts", ".tau/config.yml", ".mcp.json")).size).toBe(0);
		const [request] = shown;
		expect(request).toMatchObject({ agent: "Worker", call: { toolName: "merge" } });
		expect(request?.touches.map((touch) => "path" in touch && touch.path)).toEqual([
			join(base, "project/.tau/config.yml"),
			join(base, "project/.mcp.json"),
		]);
		expect(request?.choices.map(({ id }) => id)).toEqual(["once", "no"]);
	});

	test("leaves out what the user declines, what nobody can approve, and what a rule denies", async () => {
		const declined = await fixture({ mode: "auto" });
		answering(declined, "no");
		const protectedFile = join(base, "project/.git/hooks/pre-commit");
		const refused = await merge(declined, "a.ts", ".git/hooks/pre-commit");
		expect([...refused]).toEqual([[protectedFile, "the user has declined it"]]);
		const silent = await fixture({ mode: "auto" });
		expect([...(await merge(silent, "a.ts", ".git/hooks/pre-commit")).keys()]).toEqual([protectedFile]);
		expect(silent.notices.join()).toContain("Changes of agent Worker were not merged");
		const ruled = await fixture({ mode: "full", user: "permissions: { deny: [Edit(secret/**)] }" });
		expect([...(await merge(ruled, "a.ts", "secret/b.ts")).keys()]).toEqual([
			join(base, "project/secret/b.ts"),
		]);
	});

	test("changes no link while a command opens files, and the next command waits for the merge", async () => {
		const made = await fixture({ mode: "auto" });
		const shown = answering(made, "no");
		const sleeping = await made.policy.judge(bash("sleep 30; cat a"), signal);
		const way = join(base, "project/way");
		const ended = Promise.withResolvers<void>();
		const work = {
			agent: "Worker",
			paths: [way, join(base, "project/way/b")],
			links: [way],
			ended: ended.promise,
			preview: () => undefined,
		};
		expect([...(await made.policy.refusedWrites(work, signal)).keys()]).toEqual([way]);
		expect(shown[0]?.reason).toContain("the work of the agent changes links: sleep 30; cat a still runs");
		expect(await made.judge(bash("cat a"))).not.toBe("allow");
		if (sleeping?.allow === true) sleeping.within?.ended?.();
		ended.resolve();
		expect((await made.policy.refusedWrites(work, signal)).size).toBe(0);
		await ended.promise;
		expect(await made.judge(bash("cat a"))).toBe("allow");
	});
});
