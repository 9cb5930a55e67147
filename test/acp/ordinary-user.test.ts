/** Tau in the editor of an ordinary user: the compiled program, with the sandbox that the machine has. */
import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

import { launchAsUser, removeCopies, sandboxVariants, user } from "../support/as-user.ts";
import { needs } from "../support/needs.ts";
import { call, openEditor } from "./editor.ts";

// The first test may have to compile.
setDefaultTimeout(240_000);
afterAll(removeCopies);

const [bubblewrap] = sandboxVariants([]);
const test = bubblewrap?.test ?? needs("bwrap");

test("commands run in the sandbox without a question; what leaves it is asked about in the editor", async () => {
	await using tau = await launchAsUser({
		steps: [
			call("bash", { command: "touch inside && (touch /opt/tau-outside || echo denied)" }),
			call("write", { path: "/var/lib/tau-outside", content: "no" }),
			"Done.",
		],
	});
	await using editor = await openEditor(tau, { permission: () => "no" });
	const id = await editor.newSession();
	expect(await editor.prompt(id, "go")).toMatchObject({ stopReason: "end_turn" });
	expect(statSync(join(tau.project, "inside")).uid).toBe(user);
	expect(existsSync("/opt/tau-outside")).toBe(false);
	expect(editor.permissions.map(({ toolCall }) => toolCall.kind)).toEqual(["edit"]);
	expect(await editor.leave()).toBe(0);
});
