/** Which proxy is used for a server, by the variables that users already have. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { proxyFor } from "./proxy.ts";

const proxy = "http://10.1.1.1:3128/";

function chosen(url: string, env: Record<string, string>): unknown {
	const choice = proxyFor(new URL(url), env);
	return choice && "url" in choice ? choice.url : choice;
}

describe("the variables", () => {
	test.each<[url: string, env: Record<string, string>, choice: string | undefined]>([
		["https://a.com", {}, undefined],
		["https://a.com", { HTTPS_PROXY: proxy }, proxy],
		["https://a.com", { https_proxy: proxy }, proxy],
		["https://a.com", { HTTP_PROXY: proxy }, undefined],
		["http://a.com", { HTTP_PROXY: proxy }, proxy],
		["http://a.com", { http_proxy: proxy }, proxy],
		["http://a.com", { HTTPS_PROXY: proxy }, undefined],
		["http://a.com", { ALL_PROXY: proxy }, proxy],
		["https://a.com", { all_proxy: proxy }, proxy],
		["https://a.com", { ALL_PROXY: "http://other", HTTPS_PROXY: proxy }, proxy],
		["https://a.com", { HTTPS_PROXY: "http://other", https_proxy: proxy }, proxy],
		["https://a.com", { https_proxy: "", HTTPS_PROXY: proxy }, proxy],
		["https://a.com", { HTTPS_PROXY: " " }, undefined],
		["https://a.com", { HTTPS_PROXY: "10.1.1.1:3128" }, proxy],
		["https://a.com", { HTTPS_PROXY: ` ${proxy} ` }, proxy],
		["https://a.com", { HTTPS_PROXY: "http://me:p%40ss@10.1.1.1:3128" }, "http://me:p%40ss@10.1.1.1:3128/"],
	])("%s with %j is requested through %p", (url, env, choice) => {
		expect(chosen(url, env)).toBe(choice);
	});

	test("a proxy is named with its variable and without its password", () => {
		const choice = proxyFor(new URL("https://a.com"), { https_proxy: "http://me:secret@10.1.1.1:3128" });
		expect(choice).toMatchObject({ name: "the proxy 10.1.1.1:3128 (https_proxy)" });
	});

	test.each([
		["socks5://me:secret@10.1.1.1:1080", "ALL_PROXY names a socks5 proxy"],
		["http://me:secret@:bad", "ALL_PROXY is not the address of a proxy"],
	])("%s cannot be used, and the reason does not contain the password", (value, reason) => {
		const choice = proxyFor(new URL("https://a.com"), { ALL_PROXY: value });
		expect(choice).toEqual({ problem: expect.stringContaining(reason) });
		expect(JSON.stringify(choice)).not.toContain("secret");
	});
});

describe("NO_PROXY", () => {
	test.each<[list: string, url: string]>([
		["*", "https://a.com"],
		["a.com", "https://a.com"],
		["A.com", "https://a.COM"],
		["a.com.", "https://a.com"],
		["a.com", "https://a.com."],
		["a.com", "https://api.a.com"],
		[".a.com", "https://api.a.com"],
		[".a.com", "https://a.com"],
		["*.a.com", "https://deep.api.a.com"],
		["x.org, a.com", "https://a.com"],
		["x.org\ta.com", "https://a.com"],
		["a.com:443", "https://a.com"],
		["a.com:80", "http://a.com"],
		["a.com:8080", "https://a.com:8080"],
		[".a.com:8080", "https://api.a.com:8080"],
		["10.0.0.1", "http://10.0.0.1"],
		["10.0.0.1:80", "http://10.0.0.1"],
		["10.0.0.0/8", "http://10.200.3.4"],
		["10.0.0.1/32", "http://10.0.0.1"],
		["172.16.0.0/12", "http://172.31.255.255"],
		["0.0.0.0/0", "http://8.8.8.8"],
		["fd00::1", "http://[fd00:0:0::1]"],
		["[fd00::1]", "http://[fd00::1]"],
		["[fd00::1]:81", "http://[fd00::1]:81"],
		["fd00::/8", "http://[fdab::1]"],
		["2001:db8:1:2:3:4:5:6", "http://[2001:db8:1:2:3:4:5:6]"],
	])("%s lets %s be requested directly", (list, url) => {
		expect(chosen(url, { ALL_PROXY: proxy, NO_PROXY: list })).toBe(false);
		expect(chosen(url, { ALL_PROXY: proxy, no_proxy: list, NO_PROXY: "other" })).toBe(false);
	});

	test.each<[list: string, url: string]>([
		["", "https://a.com"],
		[",,", "https://a.com"],
		[".", "https://a.com"],
		["a.com", "https://aa.com"],
		["a.com", "https://a.com.org"],
		["api.a.com", "https://a.com"],
		["a.com:444", "https://a.com"],
		["a.*", "https://a.com"],
		["10.0.0.0/8", "http://11.0.0.1"],
		["10.0.0.0/", "http://11.0.0.1"],
		["10.0.0.0/x", "http://11.0.0.1"],
		["172.16.0.0/12", "http://172.32.0.0"],
		["0.0.0.1", "http://10.0.0.1"],
		["0/0", "http://10.0.0.1"],
		["fd00::/8", "http://[fe00::1]"],
		["::/0", "http://10.0.0.1"],
		["[fd00::1]:82", "http://[fd00::1]:81"],
	])("%s does not apply to %s", (list, url) => {
		expect(chosen(url, { ALL_PROXY: proxy, NO_PROXY: list })).toBe(proxy);
	});

	test("property: no list makes it throw", () => {
		const entry = fc.oneof(
			fc.string(),
			fc.constantFrom("[", "]:1", "/", "::/129", "1.2.3.4/99", "*.", "a:b:c"),
		);
		const target = fc.constantFrom("http://a.com", "http://1.2.3.4", "http://[fd00::1]");
		fc.assert(
			fc.property(fc.array(entry), target, (list, url) => {
				expect([false, proxy]).toContain(chosen(url, { ALL_PROXY: proxy, NO_PROXY: list.join() }) as string);
			}),
		);
	});
});

test.each([
	"http://localhost:1",
	"http://a.localhost",
	"http://127.0.0.1",
	"http://127.9.9.9",
	"http://[::1]:11434",
])("a server on this machine is reached directly: %s", (url) => {
	expect(chosen(url, { ALL_PROXY: proxy })).toBe(false);
});

test.each(["http://localhost.com", "http://128.0.0.1", "http://[::2]"])("%s is not this machine", (url) => {
	expect(chosen(url, { ALL_PROXY: proxy })).toBe(proxy);
});
