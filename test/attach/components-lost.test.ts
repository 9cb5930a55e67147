/** Components of extensions on clients whose connection is lost: it is made again, or the client leaves. */
import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";

import type { ComponentChanges } from "@tau/wire";

import type { Launched } from "../support/launch.ts";
import { custom, extension, joined, say } from "./drawn.ts";
import { detach, launchLocal, runtimeFiles, untilRow } from "./local.ts";
import { RawClient, type Line } from "./raw-client.ts";

const window = (columns: number) => ({
	columns,
	rows: 24,
	theme: { name: "dark", appearance: "dark", mode: "none", colors: {} },
	expandTools: false,
	hyperlinks: false,
});

/** The rows of the component that `/go` has opened, in the latest frame that has some. */
const rowsOf = ({ kind, body }: Line): readonly string[] | undefined => {
	if (kind !== "component") return undefined;
	const view = (body as ComponentChanges).changed?.find(({ slot }) => slot === "custom");
	return view && "rows" in view ? view.rows : undefined;
};

test("a component stays open while a lost connection is made again, and takes keys as before", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, custom));
	await untilRow(home, ({ phase }) => phase === "idle");
	const hello = { client: { id: "raw", name: "raw", kinds: [] } };
	const before = new RawClient(home, hello);
	before.send({ id: "1", type: "show_components", ...window(80) });
	before.send({ id: "go", type: "prompt", message: "/go" });
	await before.until((line) => rowsOf(line)?.[0] === "custom of 80");
	for (const data of ["a", "b"]) before.send({ id: `key ${data}`, type: "component_key", data });
	await before.answer("key b");
	before[Symbol.dispose]();
	await untilRow(home, ({ clients }) => clients === 0);
	using after = new RawClient(home, hello);
	// The command that waits for it is sent again, and is not run again.
	after.send({ id: "go", type: "prompt", message: "/go" });
	after.send({ id: "2", type: "component_key", data: "x" });
	expect(await after.answer("2")).toMatchObject({ ok: false });
	after.send({ id: "3", type: "show_components", ...window(70) });
	const shown = await after.until((line) => rowsOf(line) !== undefined);
	expect(rowsOf(shown)).toEqual(["custom of 70", "keys: ab"]);
	expect((shown.body as ComponentChanges).number).toBe(0);
	for (const data of ["c", "q"]) after.send({ id: `key ${data}`, type: "component_key", data });
	expect(await after.answer("go")).toMatchObject({ ok: true });
	await after.until((line) => JSON.stringify(line).includes("closed with abc"));
});

test("a client that takes the place of its own dead connection keeps its component, and one that says goodbye does not", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, custom));
	await untilRow(home, ({ phase }) => phase === "idle");
	const hello = { client: { id: "raw", name: "raw", kinds: [] } };
	using dead = new RawClient(home, hello);
	dead.send({ id: "1", type: "show_components", ...window(80) });
	dead.send({ id: "go", type: "prompt", message: "/go" });
	await dead.until((line) => rowsOf(line) !== undefined);
	using client = new RawClient(home, hello);
	client.send({ id: "2", type: "show_components", ...window(60) });
	await client.until((line) => rowsOf(line)?.[0] === "custom of 60");
	dead[Symbol.dispose]();
	await untilRow(home, ({ clients }) => clients === 1);
	client.send({ id: "3", type: "component_key", data: "a" });
	expect(await client.answer("3")).toMatchObject({ ok: true });
	using other = new RawClient(home, { client: { id: "other", name: "other", kinds: [] } });
	await other.until(({ kind }) => kind === "snapshot");
	client.send({ type: "bye" });
	await other.until((line) => JSON.stringify(line).includes("closed with undefined"));
});

/** Puts itself between the only session and whoever joins it from now on; `cut` ends all connections. */
async function cable(home: Launched): Promise<{ cut(): void } & AsyncDisposable> {
	const directory = join(home.home, ".tau/state/run");
	const file = join(directory, runtimeFiles(home).find((each) => /^\d.*\.json$/.test(each)) ?? "");
	const registration = JSON.parse(readFileSync(file, "utf8"));
	const path = join(directory, "cable.sock");
	const ends = new Set<Socket>();
	const server = createServer((near) => {
		const far = createConnection(registration.socket);
		for (const [one, two] of [
			[near, far],
			[far, near],
		] as const) {
			ends.add(one);
			one.pipe(two);
			one.on("error", () => two.destroy());
			one.on("close", () => two.destroy());
		}
	});
	await new Promise<void>((resolve) => {
		server.listen(path, resolve);
	});
	writeFileSync(file, JSON.stringify({ ...registration, socket: path }));
	const cut = (): void => {
		for (const end of ends) end.destroy();
		ends.clear();
	};
	return {
		cut,
		async [Symbol.asyncDispose]() {
			writeFileSync(file, JSON.stringify(registration));
			cut();
			await new Promise((resolve) => {
				server.close(resolve);
			});
			rmSync(path, { force: true });
		},
	};
}

test("a terminal whose connection is cut shows the component again, with what was typed into it", async () => {
	await using home = await launchLocal({ steps: ["Hello.", "Second."] });
	await detach(home, "hello", "-e", extension(home, custom));
	await untilRow(home, ({ phase }) => phase === "idle");
	await using between = await cable(home);
	await using client = joined(home, { cols: 60, rows: 24 });
	await client.until("Hello.");
	for (const command of ["/go", "/over"]) {
		say(client, command);
		await client.until("custom of");
		client.type("ab");
		await client.until("keys: ab");
		const timesBack = (): number => client.bytes.split("is back").length;
		const before = timesBack();
		between.cut();
		await client.untilDrawn(() => timesBack() > before, "said that the connection is back");
		await client.until("keys: ab");
		client.type("c");
		await client.until("keys: abc");
		client.type("q");
		await client.until("closed with abc");
		await client.untilGone("custom of");
	}
	client.type("more\r");
	await client.until("Second.");
});
