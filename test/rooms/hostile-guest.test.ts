/** A guest that has a link and means no good: it gets what the link allows, and slows nobody down. */
import { expect, test } from "bun:test";

import { roomTransport, readLink, type RoomFault } from "@tau/wire/room";
import type { Connection } from "@tau/wire/remote";

import { guest, share } from "./room.ts";

/** Speaks the protocol of guests, without a screen and without manners. */
async function stranger(link: string, name: string) {
	const lines: string[] = [];
	const faults: RoomFault[] = [];
	const ended = Promise.withResolvers<string | undefined>();
	const transport = roomTransport({
		link: readLink(link, undefined),
		onFault: (fault) => void faults.push(fault),
	});
	let changed = Promise.withResolvers<void>();
	const connection: Connection = await transport.connect(
		{ client: { id: crypto.randomUUID(), name, kinds: ["approval", "dialog", "trust", "questions"] } },
		{
			signal: AbortSignal.timeout(60_000),
			onLine(line) {
				lines.push(line);
				changed.resolve();
				changed = Promise.withResolvers();
			},
			onEnd: (reason) => ended.resolve(reason),
		},
	);
	return {
		connection,
		lines,
		faults,
		ended: ended.promise,
		/** The response to a command. */
		async ask(command: object): Promise<{ ok: boolean; error?: string; data?: unknown }> {
			const id = crypto.randomUUID();
			void connection.send({ ...command, id });
			for (;;) {
				const line = lines.find((each) => each.includes('"kind":"response"') && each.includes(id));
				if (line) return JSON.parse(line).body;
				await changed.promise;
			}
		},
		[Symbol.dispose]: () => connection[Symbol.dispose](),
	};
}

test("beyond the session there is nothing for a guest, whatever it asks for", async () => {
	await using shared = await share({ steps: ["First answer."] });
	const { host, link } = shared;
	host.type("one\r");
	await host.until("First answer.");
	using eve = await stranger(link, "Eve\u001b[2J\u202e\n  the   host");
	await host.until("Eve [2J the host joined the collab session");
	for (const command of [
		{ type: "bash", command: "id" },
		{ type: "set_model", provider: "x", modelId: "y" },
		{ type: "switch_session", sessionPath: "/etc/passwd" },
		{ type: "export_html" },
		{ type: "set_setting", path: "approvalMode", value: "full" },
		{ type: "set_approval_mode", mode: "full" },
		{ type: "run_command", name: "diff", args: "" },
		{ type: "run_command", name: "settings", args: "" },
		{ type: "run_command", name: "collab", args: "status" },
		{ type: "run_command", name: "resume", args: "" },
		{ type: "complete_command", name: "resume", prefix: "" },
		{ type: "inspect_context" },
		{ type: "component_key", id: "x", data: "y" },
		{ type: "no such command" },
	]) {
		const { ok, error } = await eve.ask(command);
		expect({ command, ok }).toEqual({ command, ok: false });
		expect(error).toContain("host-only");
	}
	const { ok, data } = await eve.ask({ type: "get_entries", limit: 1_000_000 });
	expect(ok).toBe(true);
	expect(JSON.stringify(data)).toContain("First answer.");
	// A skill, a template or a command of an extension is text to it.
	host.type("/collab status\r");
	await host.until("Eve [2J the host (prompt)");
});

test("a flood is cut off and shown, a link that was made up is refused, and the host works on", async () => {
	await using shared = await share({ steps: ["First answer.", "Second answer."] });
	const { host, link } = shared;
	using eve = await stranger(link, "Eve");
	for (let at = 0; at < 1000; at++) void eve.connection.send({ id: `${at}`, type: "get_state" });
	expect(await eve.ended).toContain("You sent more than");
	await host.until("Eve left the collab session (You sent more than");
	const [place = "", key = ""] = link.split("#");
	const made = `${place}#${key.startsWith("A") ? "B" : "A"}${key.slice(1)}`;
	expect(stranger(made, "Mallory")).rejects.toThrow(/does not (?:accept|know) this link/);
	// The first 32 bytes of a link are no link to look.
	expect(stranger(`${place}#${key.slice(0, 43)}`, "Mallory")).rejects.toThrow(
		/does not (?:accept|know) this link|32/,
	);
	await using ann = await guest(link, { name: "Ann" });
	await ann.until("played-1");
	host.type("one\r");
	for (const each of [host, ann]) await each.until("First answer.");
});
