/** Questions about hosts: of a package registry, and of this machine or its network. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { answering, fetchUrl, fixture, useDirectories } from "../../../../test/support/policy.ts";

import { hostFields, hostSubjects } from "./approval-request.ts";

let base = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-host-request-test-")));
	useDirectories(base);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("a longer yes to a registry covers all of its hosts, and the choice names them", () => {
	const { choices } = hostFields({ host: "registry.npmjs.org", port: 443, by: "command" }, undefined);
	expect(choices.map(({ label }) => label)).toContain(
		"Yes, always in this project: the npm registry (registry.npmjs.org, registry.yarnpkg.com)",
	);
	const hosts = ["registry.npmjs.org", "registry.yarnpkg.com"];
	expect(hostSubjects("Registry.npmjs.org")).toEqual(hosts.map((host) => ({ kind: "fetch", host })));
});

test("a longer yes to another host covers that host", () => {
	const { choices } = hostFields({ host: "Example.org", port: 8443, by: "command" }, undefined);
	expect(choices.map(({ label }) => label)).toContain("Yes, for this session: Example.org:8443");
	expect(hostSubjects("Example.org", 443)).toEqual([{ kind: "fetch", host: "example.org" }]);
	expect(hostSubjects("Example.org", 8443)).toEqual([{ kind: "fetch", host: "example.org", port: 8443 }]);
});

test("a longer yes to a site is none to another service of its host", async () => {
	const { signal } = new AbortController();
	const made = await fixture({ mode: "ask", boundary: "none" });
	const shown = answering(made, "session");
	for (const url of [
		"https://a.example/x",
		"http://a.example/",
		"https://a.example:8443/",
		"https://a.example:8443/y",
	])
		expect(await made.judge(fetchUrl(url))).toBe("allow");
	expect(await made.policy.requestHost("a.example", 443, signal, "command")).toBe(true);
	expect(shown).toHaveLength(2);
	expect(await made.policy.requestHost("a.example", 22, signal, "command")).toBe(true);
	expect(shown).toHaveLength(3);
	expect((await made.policy.grants()).map(({ rule }) => rule)).toContain("WebFetch(domain:a.example:8443)");
});

test("a yes holds for the next connections to the same host and port, and the question says who connects", async () => {
	const { signal } = new AbortController();
	const made = await fixture({ mode: "auto", boundary: "sandbox" });
	const shown = answering(made, "once");
	for (const [host, port, by] of [
		["a.example", 443, "browser"],
		["A.example", 443, "browser"],
		["a.example", 8080, "command or page"],
		["b.example", 443, "command"],
		["b.example", 443, "command"],
	] as const)
		expect(await made.policy.requestHost(host, port, signal, by)).toBe(true);
	expect(shown.map(({ reason }) => reason)).toEqual([
		"the browser wants to connect to a.example:443",
		"a command or a page in the browser wants to connect to a.example:8080",
		"a command wants to connect to b.example:443",
	]);
});

test("a call that the user has allowed opens its host in the browser without a second yes", async () => {
	const { signal } = new AbortController();
	const made = await fixture({ mode: "ask", boundary: "sandbox" });
	const shown = answering(made, "once");
	expect(await made.judge(fetchUrl("https://c.example/a"))).toBe("allow");
	expect(await made.policy.requestHost("c.example", 443, signal, "browser")).toBe(true);
	expect(shown).toHaveLength(1);
	expect(await made.policy.requestHost("c.example", 443, signal, "command or page")).toBe(true);
	expect(shown).toHaveLength(2);
});

describe("a browser that connects to an address of this machine or its network", () => {
	const { signal } = new AbortController();
	const target = { host: "intranet.example", port: 80, address: "10.0.0.5", isOpened: true };
	const byPage = { ...target, isOpened: false };

	test("is asked about in a container as well, and refused where nobody answers", async () => {
		for (const boundary of ["none", "sandbox", "container"] as const) {
			const made = await fixture({ mode: "auto", boundary });
			expect(await made.policy.requestPrivate(target, signal)).toBe(false);
			const shown = answering(made, "session");
			expect(await made.policy.requestPrivate(byPage, signal)).toBe(true);
			expect(await made.policy.requestPrivate(byPage, signal)).toBe(true);
			expect(shown.map(({ reason }) => reason)).toEqual([
				"a page in the browser wants to connect to intranet.example:80 (10.0.0.5), which is on this machine or its network",
			]);
		}
	});

	test("needs no second yes where a call has opened the host and the user has allowed the call", async () => {
		const made = await fixture({ mode: "auto", boundary: "none" });
		const shown = answering(made, "once");
		expect(await made.judge(fetchUrl("http://intranet.example/a"))).toBe("allow");
		expect(await made.policy.requestPrivate(target, signal)).toBe(true);
		expect(shown).toHaveLength(1);
		expect(await made.policy.requestPrivate({ ...byPage, host: "other.example" }, signal)).toBe(true);
		expect(shown).toHaveLength(2);
	});

	test("in the mode full, only where the model opens it; a rule that denies it always wins", async () => {
		const made = await fixture({ mode: "full", boundary: "none" });
		expect(await made.policy.requestPrivate(target, signal)).toBe(true);
		expect(await made.policy.requestPrivate(byPage, signal)).toBe(false);
		const user = "permissions: { deny: [WebFetch(domain:intranet.example)] }";
		const denying = await fixture({ mode: "full", boundary: "none", user });
		expect(await denying.policy.requestPrivate(target, signal)).toBe(false);
	});
});
