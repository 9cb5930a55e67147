/** A prompt that is cancelled is answered in time, whatever its run does: by a clock of the test's own. */
import { afterEach, expect, jest, test } from "bun:test";

import type { SessionClient } from "@tau/wire";

import { AcpSession, type OpenedSession } from "./session.ts";

afterEach(() => void jest.useRealTimers());

/** A session whose run never ends. */
function hanging(): OpenedSession {
	const client = {
		view: { facts: { session: { cwd: "/", id: "s" }, phase: "running", todos: [], model: {} } },
		subscribe: () => ({ [Symbol.dispose]() {} }),
		request: (type: string) =>
			type === "list_commands" ? Promise.resolve({ commands: [] }) : Promise.withResolvers().promise,
	};
	return {
		client: client as unknown as SessionClient,
		directories: [],
		confirm: async () => undefined,
		async [Symbol.asyncDispose]() {},
	};
}

test("within 50 ms", async () => {
	const peer = { request: async () => ({}), notify: async () => {} };
	const session = new AcpSession({ id: "s", opened: hanging(), peer: peer as never, capabilities: {} });
	const accepted = Promise.withResolvers<void>();
	const { signal } = new AbortController();
	const answered = session.prompt([{ type: "text", text: "go" }], signal, () => accepted.resolve());
	await accepted.promise;
	// The prompt is on its way with the next turn of the event loop.
	await Bun.sleep(0);
	jest.useFakeTimers();
	session.cancel();
	jest.advanceTimersByTime(49);
	expect(await answered).toMatchObject({ stopReason: "cancelled" });
});
