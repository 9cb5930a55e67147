/** A session with a machine of its own works on it, with its own journal, fallbacks and shell. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";
import { layered, localMachine, problem, type Machine } from "@tau/sys";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const openFixture = extensionFixtureWith(playModel);

test("files, commands, the journal and fallbacks of a session use its machine", async () => {
	const { files, shell, where } = localMachine();
	const commands: string[] = [];
	const machine: Machine = {
		where,
		files: layered(files, ({ commit }) => ({
			commit: async (changes, options) => {
				const [change] = changes;
				if (!change?.before.target.endsWith("denied.txt")) return commit(changes, options);
				if (await options.whenDenied?.(change, "not here")) return { ok: true, changes: [] };
				return problem("denied", "No permission.");
			},
		})),
		shell: {
			...shell,
			session(options) {
				const session = shell.session(options);
				return {
					get cwd() {
						return session.cwd;
					},
					get busy() {
						return session.busy;
					},
					run(command) {
						commands.push(command.command);
						return session.run(command);
					},
					leave: () => session.leave(),
					[Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
				};
			},
		},
	};
	const fallback = `export default (pi) => pi.registerFileWriteFallback(({ content, cause }, ctx) => {
		ctx.ui.notify(content + " " + cause);
		return true;
	});`;
	await using fixture = await openFixture(
		{
			steps: [
				callOf("write", { path: "a.txt", content: "one" }),
				callOf("write", { path: "denied.txt", content: "two" }),
				callOf("bash", { command: "cat a.txt" }),
				"Done.",
			],
		},
		{ machine, files: { "a.ts": fallback } },
	);
	await fixture.prompt("go");
	const { journal, cwd } = fixture.extensions.runner.bound.env;
	expect(journal.entries.map(({ kind, path }) => [kind, path])).toEqual([["created", `${cwd}/a.txt`]]);
	expect(fixture.shown).toEqual(["notify: two not here"]);
	expect(commands).toEqual(["cat a.txt"]);
	expect(fixture.request(3)).toContain("one");
});
