/** A model that stops with open tasks in its todo list is reminded of them, as often as the user wants. */
import { expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";

import { callOf, type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const fixtureOf = extensionFixtureWith(playModel);

const begin = callOf("todo", {
	ops: [{ op: "init", list: [{ phase: "House", items: ["sweep", "cook"] }] }],
});
const done = (task: string) => callOf("todo", { ops: [{ op: "done", task }] });

function openFixture(steps: Scenario["steps"], most: number): Promise<ExtensionFixture> {
	return fixtureOf({ steps }, { tools: ["todo", "bash"], settings: `todo: { reminders: ${most} }` });
}

function reminders({ events }: ExtensionFixture): string[] {
	return events.flatMap((event) =>
		event.type === "todo_reminder"
			? [`${event.attempt}/${event.maxAttempts} ${event.todos.map(({ content }) => content).join(",")}`]
			: [],
	);
}

test("it continues until all tasks are done, and is not reminded then", async () => {
	await using on = await openFixture(
		[begin, "Tired.", done("sweep"), "Tired again.", done("cook"), "All done."],
		3,
	);
	await on.prompt("work");
	expect(reminders(on)).toEqual(["1/3 sweep,cook", "2/3 cook"]);
	expect(on.request(2)).toContain("- sweep\\n- cook");
	expect(on.played.requests).toHaveLength(6);
});

test("a model that does not continue is not reminded forever, but again after the next prompt", async () => {
	await using on = await openFixture([begin, "No.", "No.", "No.", "Still no.", "No!"], 1);
	await on.prompt("work");
	expect(reminders(on)).toEqual(["1/1 sweep,cook"]);
	expect(on.played.requests).toHaveLength(3);
	await on.prompt("and now?");
	expect(reminders(on)).toHaveLength(2);
	expect(on.played.requests).toHaveLength(5);
});

test("no reminder without the setting, after an abort or after a failure", async () => {
	await using off = await openFixture([begin, "Tired."], 0);
	await off.prompt("work");
	expect(reminders(off)).toEqual([]);
	await using stopped = await openFixture([begin, callOf("bash", { command: "sleep 60" })], 3);
	stopped.session.subscribe((event) => {
		if (event.type === "tool_execution_start" && event.toolName === "bash") stopped.session.abort();
	});
	await stopped.prompt("work");
	expect(reminders(stopped)).toEqual([]);
	await using failed = await openFixture([begin, { fault: { http: 400 } }], 3);
	await failed.prompt("work");
	expect(reminders(failed)).toEqual([]);
});

test("an update that failed is mentioned with the next prompt, unless a later one worked", async () => {
	const wrong = callOf("todo", { ops: [{ op: "done", task: "fly" }] });
	await using on = await openFixture([begin, wrong, "Done.", "Hm.", wrong, done("sweep"), "Ok.", "Fine."], 0);
	await on.prompt("work");
	await on.prompt("next");
	expect(on.request(3)).toContain("still sees the list from before");
	expect(on.request(2)).not.toContain("still sees the list from before");
	const reminder = on.session.state.messages.filter((message) => message.role === "custom");
	expect(reminder).toMatchObject([{ customType: "todo-error-reminder", display: false }]);
	await on.prompt("more");
	await on.prompt("end");
	expect(on.session.state.messages.filter(({ role }) => role === "custom")).toHaveLength(1);
});

test("todo.enabled: false keeps the tool from the model", async () => {
	await using on = await fixtureOf(
		{ steps: ["Ok."] },
		{ tools: ["todo", "bash"], settings: "todo: { enabled: false }" },
	);
	await on.prompt("work");
	expect(on.session.state.tools.map(({ name }) => name)).toEqual(["bash"]);
});
