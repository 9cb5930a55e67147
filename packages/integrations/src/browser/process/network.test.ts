/** What a call has opened is one port of a private host: a page does not reach the others by itself. */
import { expect, test } from "bun:test";

import type { PrivateTarget } from "@tau/session/policy";
import { testToolEnv } from "../../../../../test/support/tool-env.ts";
import { BrowserNetwork } from "./network.ts";

/** The status that the proxy answers a request with, as a browser would make it. */
async function statusOf(proxyPort: number, url: string): Promise<number> {
	const response = await fetch(url, { proxy: `http://127.0.0.1:${proxyPort}` });
	await response.body?.cancel();
	return response.status;
}

test("in the mode full a page reaches no other port of the host that the model has opened", async () => {
	using one = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("one") });
	using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("secret") });
	const asked: PrivateTarget[] = [];
	await using env = await testToolEnv();
	await using network = new BrowserNetwork(env.settings, async (target) => {
		asked.push(target);
		return target.isOpened;
	});
	const port = await network.listen();
	const urls = [one, other].map((server) => `http://127.0.0.1:${server.port}/`);
	network.opens(new URL(urls[0] ?? ""));
	expect(network.hasJustOpened("127.0.0.1")).toBe(true);
	expect(await statusOf(port, urls[0] ?? "")).toBe(200);
	expect(await statusOf(port, urls[1] ?? "")).not.toBe(200);
	expect(asked.map((target) => [target.port, target.isOpened])).toEqual([
		[Number(one.port), true],
		[Number(other.port), false],
	]);
	network.opens(new URL(urls[1] ?? ""));
	expect(await statusOf(port, urls[1] ?? "")).toBe(200);
});
