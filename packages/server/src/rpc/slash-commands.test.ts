/** A client runs the commands that its rights allow, and learns which right the others need. */
import { playModel } from "@tau/ai/testing";
import { expect, test } from "bun:test";

import type { CredentialStore } from "@tau/ai";
import type { SessionHost } from "@tau/session/host";
import { ModelRegistry } from "@tau/config/models";
import type { Right } from "@tau/wire";

import { connect, type Connected } from "../../../../test/support/rpc.ts";
import type { CommandParts } from "@tau/session-commands";
import { RpcClient } from "./client.ts";

function partsOf(host: SessionHost): CommandParts {
	return {
		host,
		env() {
			throw new Error("This session has no tools.");
		},
		registry: new ModelRegistry({ path: "", providers: new Map(), problems: [] }, {}),
		credentials: { list: () => [] } as unknown as CredentialStore,
		resources: undefined,
		extensions: undefined,
		mcp: undefined,
		mcpPrompts: [],
		machine: undefined,
		doctor: undefined,
		collab: undefined,
		recording: undefined,
		schedules: undefined,
		agentDir: "/dev/null/tau",
		isTrusted: false,
		reload: async () => [],
	};
}

interface Opened extends AsyncDisposable {
	client: RpcClient;
	streams: Connected;
}

async function open(rights: Right): Promise<Opened> {
	const owned = new AsyncDisposableStack();
	const played = owned.use(await playModel({ steps: ["An answer."] }));
	const streams = owned.use(await connect(played, { rights, commands: partsOf }));
	const client = new RpcClient({ streams });
	await client.start();
	return { client, streams, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test("a client without the right is refused with the reason", async () => {
	await using on = await open("prompt");
	const { client } = on;
	await expect(client.runCommand("model", "other")).rejects.toThrow(
		'/model needs the right "control"; this client has "prompt".',
	);
	await expect(client.runCommand("name", "blue")).rejects.toThrow(
		'/name needs the right "control"; this client has "prompt".',
	);
	await expect(client.setSessionName("blue")).rejects.toThrow(
		'set_session_name needs the right "control"; this client has "prompt".',
	);
	expect(on.streams.host.state.name).toBeUndefined();
});

test("what only shows something needs no more than the right to view", async () => {
	await using on = await open("view");
	const { client } = on;
	expect(await client.runCommand("name")).toMatchObject({ data: { name: null } });
	expect(await client.runCommand("session")).toMatchObject({ level: "info" });
	await expect(client.runCommand("goal", "true")).rejects.toThrow('needs the right "control"');
	await expect(client.runCommand("retry")).rejects.toThrow(
		'/retry needs the right "prompt"; this client has "view".',
	);
	const listed = await client.listCommands();
	expect(listed.find(({ name }) => name === "goal")).toMatchObject({ right: "control", shows: [""] });
});

test("a client with control names the session, and a second client is told", async () => {
	await using on = await open("control");
	const { client } = on;
	const named = new Promise((resolve) => {
		client.onEvent((event) => {
			if (event.type === "session_info_changed") resolve(event.name);
		});
	});
	expect(await client.runCommand("name", "blue")).toMatchObject({ text: 'Session renamed to "blue".' });
	expect(await named).toBe("blue");
	expect(await client.completeCommand("commit", "d")).toEqual([{ value: "dry-run", label: "dry-run" }]);
});

test("a client that leaves while a command waits for an answer stops it", async () => {
	await using on = await open("control");
	await on.client.prompt("hi");
	await on.client.waitForIdle();
	const asked = new Promise<void>((resolve) => {
		on.client.onEvent((event) => {
			if (event.type === "request_opened") resolve();
		});
	});
	const running = on.client.runCommand("label");
	await asked;
	await on.streams.end();
	// The dialog is declined, and nothing was labeled.
	expect(await running).toEqual({});
});

test("commands that wait are stopped by their name", async () => {
	await using on = await open("control");
	await on.client.prompt("hi");
	await on.client.waitForIdle();
	const asked = new Promise<void>((resolve) => {
		on.client.onEvent((event) => {
			if (event.type === "request_opened") resolve();
		});
	});
	const running = on.client.runCommand("label");
	await asked;
	await on.client.abortCommand("name");
	expect(await on.client.listRequests()).toHaveLength(1);
	await on.client.abortCommand("label");
	expect(await running).toEqual({});
	expect(await on.client.listRequests()).toEqual([]);
});
