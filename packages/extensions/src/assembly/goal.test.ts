/** A goal keeps the model working until its check passes; an advisor reads each turn. Both are off without a setting. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith, type ExtensionFixture } from "../../../../test/support/extensions.ts";

const openFixture = extensionFixtureWith(playModel);

function setGoal(fixture: ExtensionFixture, check: string): void {
	fixture.extensions.runner.bound.host.work.setGoal(check);
}

function notices({ events }: ExtensionFixture): string[] {
	return events.flatMap((event) => (event.type === "notice" ? event.message : []));
}

test("the model continues until the check passes", async () => {
	const steps = ["I am done.", callOf("bash", { command: "touch finished" }), "Now I am."];
	await using fixture = await openFixture({ steps });
	const { cwd } = fixture.extensions.runner.bound.env;
	setGoal(fixture, "test -e finished || { echo nothing is finished; exit 3; }");
	await fixture.prompt("finish it");
	expect(existsSync(join(cwd, "finished"))).toBe(true);
	expect(fixture.request(1)).toContain("(1/10)");
	expect(fixture.request(1)).toContain("nothing is finished");
	expect(notices(fixture)).toContainEqual(expect.stringContaining("Goal reached"));
	expect(fixture.played.requests).toHaveLength(3);
});

test("the attempts end, and so does the goal", async () => {
	await using fixture = await openFixture(
		{ steps: ["One.", "Two.", "Three.", "Four."] },
		{ settings: "goal:\n  maxAttempts: 2\n" },
	);
	setGoal(fixture, "false");
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(3);
	expect(notices(fixture)).toContain("Goal not reached after 2 attempts: `false` fails.");
	await fixture.prompt("again");
	expect(fixture.played.requests).toHaveLength(4);
});

test("without a setting there is no advisor", async () => {
	await using fixture = await openFixture({ steps: [callOf("bash", { command: "true" }), "Done."] });
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(2);
});

test("a remark of the advisor reaches the model before its next request, and OK does not", async () => {
	const call = callOf("bash", { command: "true" });
	const steps = [call, "You misread the request.", call, "OK", "Done."];
	await using fixture = await openFixture({ steps });
	const { host } = fixture.extensions.runner.bound;
	const { provider, id } = host.session.model;
	await host.apply({ type: "setting", path: "advisor.model", value: `${provider}/${id}` });
	await fixture.prompt("say it");
	expect(fixture.played.requests).toHaveLength(5);
	expect(fixture.request(1)).toContain("You advise a coding agent");
	expect(fixture.request(2)).toContain("<advisor>\\nYou misread the request.\\n</advisor>");
	expect(fixture.request(4).split("<advisor>")).toHaveLength(2);
});
