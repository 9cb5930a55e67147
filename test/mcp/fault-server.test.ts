/** The server for faults is a correct one without a fault: then what goes wrong with a fault is the fault. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { newClient, read } from "./served.ts";

const file = join(import.meta.dir, "../support/mcp/fault-server.ts");

test.each([[[]], [["torn"]], [["garbage"]], [["twice"]]])(
	"over stdio, with %j",
	async (faults: string[]) => {
		const client = newClient("legacy");
		await client.connect(new StdioClientTransport({ command: process.execPath, args: [file, ...faults] }));
		expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo", "add"]);
		expect(read(await client.callTool({ name: "echo", arguments: { text: "hé" } })).text).toBe("echo: hé");
		await client.close();
	},
	180_000,
);

test.each([[[]], [["slow-drip"]]])(
	"over HTTP, with %j",
	async (faults: string[]) => {
		await using server = Bun.spawn([process.execPath, file, "--http", ...faults], { stdout: "pipe" });
		const { value } = await server.stdout.getReader().read();
		const client = newClient("legacy");
		const url = new URL(new TextDecoder().decode(value).trim());
		await client.connect(new StreamableHTTPClientTransport(url));
		expect(read(await client.callTool({ name: "echo", arguments: { text: "hé" } })).text).toBe("echo: hé");
		await client.close();
	},
	180_000,
);
