/** Logins and keys are listed with their state; a secret is entered and never shown. */
import { describe, expect, test } from "bun:test";

import { testCredential as stored } from "../../../../../test/support/credentials.ts";
import { frame, press, testScreen, typeInto, until } from "../../testing/frames.ts";
import { LoginView } from "./login-view.ts";
import { fittingOffers, keptCredentials, keyProblem, offers, type Offer } from "./offers.ts";
import { loginSelector, logoutSelector } from "./selector.ts";

const logins = [{ provider: "anthropic", label: "Anthropic (Claude Pro/Max)" }];

describe("the list", () => {
	const known = offers({
		logins,
		stored: [stored({ account: "ada@example.org" }), stored({ provider: "groq", kind: "api_key" })],
		own: ["mine"],
		env: { OPENAI_API_KEY: "sk-secret" },
	});
	const of = (provider: string, kind: Offer["kind"]) =>
		known.find((offer) => offer.provider === provider && offer.kind === kind);

	test("has logins first, then keys, those of the user's own providers before the rest", () => {
		expect(known.slice(0, 2)).toMatchObject([
			{ kind: "login", provider: "anthropic" },
			{ kind: "key", provider: "mine" },
		]);
	});

	test("shows the state of each, and never the secret", () => {
		expect([of("anthropic", "login")?.state, of("anthropic", "key")?.state]).toEqual(["ada@example.org", ""]);
		expect([of("groq", "key")?.state, of("openai", "key")?.state]).toEqual(["stored", "in OPENAI_API_KEY"]);
		expect(JSON.stringify(known)).not.toContain("sk-secret");
	});

	test("is searched by name", () => {
		expect(fittingOffers(known, "claude")[0]?.provider).toBe("anthropic");
	});
});

test.each([
	["", "No API key given."],
	["two words", "Not an API key: it contains whitespace or is too long."],
	["x".repeat(101), "Not an API key: it contains whitespace or is too long."],
	["sk-abc_123", undefined],
])("the key %p is %p", (key, wrong) => {
	expect(keyProblem(key, 100)).toBe(wrong);
});

describe("/login", () => {
	function open(keepKey: (offer: Offer, key: string) => Promise<void>) {
		const done: string[] = [];
		const picker = loginSelector(testScreen(), {
			offers: () => [
				{ provider: "anthropic", label: "Anthropic (Claude Pro/Max)", kind: "login", state: "" },
				{ provider: "groq", label: "Groq: key", kind: "key", state: "in GROQ_API_KEY" },
			],
			logIn: ({ provider }) => void done.push(`log in ${provider}`),
			keepKey,
			close: () => void done.push("close"),
		});
		return { picker, done };
	}

	test("shows the list", () => {
		const { picker } = open(async () => {});
		expect(frame(picker, 80)).toMatchInlineSnapshot(`
		  "
		  ── Log in or add an API key ───────────────────────────────────────────── 1/2 ──
		   >
		   ❯ Anthropic (Claude Pro/Max)  subscription
		     Groq: key                                 in GROQ_API_KEY

		     enter continue · esc close
		  "
		`);
		expect(frame(picker, 40)).toMatchInlineSnapshot(`
		  "
		  ── Log in or add an API key ───── 1/2 ──
		   >
		   ❯ Anthropic (Claude Pro/…  subscription
		     Groq: key

		     enter continue · esc close
		  "
		`);
	});

	test("starts a login on Enter", () => {
		const { picker, done } = open(async () => {});
		press(picker, "enter");
		expect(done).toEqual(["log in anthropic"]);
	});

	test("accepts a key without showing it, and an invalid one is rejected before anything is stored", async () => {
		const kept: string[] = [];
		const { picker, done } = open(async ({ provider }, key) => void kept.push(`${provider} ${key}`));
		press(picker, "down", "enter");
		typeInto(picker, "a b");
		press(picker, "enter");
		await until(() => frame(picker, 60).includes("contains whitespace"));
		press(picker, "backspace", "backspace", "backspace");
		typeInto(picker, "gsk_secret");
		expect(frame(picker, 60)).not.toContain("gsk_secret");
		press(picker, "enter");
		await until(() => done.includes("close"));
		expect(kept).toEqual(["groq gsk_secret"]);
	});

	test("asks for a key in place of the list, and says where it is made", () => {
		const { picker } = open(async () => {});
		press(picker, "down", "enter");
		expect(frame(picker, 60)).toMatchInlineSnapshot(`
		  "
		  ── Log in or add an API key ────────────────────────────────

		   Groq: key API key (hidden)
		   >

		     Create a key at https://console.groq.com/keys

		     enter submit · esc back
		  "
		`);
	});

	test("reports why a key cannot be stored", async () => {
		const { picker, done } = open(async () => {
			throw new Error("The disk is full.");
		});
		press(picker, "down", "enter");
		typeInto(picker, "key");
		press(picker, "enter");
		await until(() => frame(picker, 60).includes("The disk is full."));
		expect(done).toEqual([]);
	});
});

describe("a login under way", () => {
	test("shows the whole URL and the code, and accepts pasted text", async () => {
		const opened: string[] = [];
		const copied: string[] = [];
		const view = new LoginView(testScreen(), "GitHub Copilot", {
			open: (address) => opened.push(address) === 0,
			copy: async (address) => (copied.push(address), { ok: true, viaTerminal: true }),
			hyperlinks: true,
		});
		const url = `https://example.org/authorize?state=${"x".repeat(60)}`;
		view.show({ kind: "browser", url, pasteOnly: false });
		const stop = new AbortController();
		const pasted = view.paste(stop.signal);
		expect(frame(view, 40)).toMatchInlineSnapshot(`
		  "
		  ────────────────────────────────────────
		    To log in to GitHub Copilot, open:

		  https://example.org/authorize?state=xxxx
		  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
		  xxxxxxxxxxxxxxxx

		    Open the URL in a browser. On another
		    machine? Paste the URL you were
		    redirected to.
		  >
		    c copy URL · enter submit · esc cancel
		  "
		`);
		expect(frame(view, 40).replaceAll(/\s/g, "")).toContain(url);
		expect(view.render(40).join("\n")).toContain(`]8;;${url}`);
		typeInto(view, "c");
		await until(() => frame(view, 40).includes("Copied the URL."));
		expect(copied).toEqual([url]);
		typeInto(view, "http://localhost/?code=1");
		press(view, "enter");
		expect(await pasted).toBe("http://localhost/?code=1");
		expect(opened).toEqual([url]);
		view.show({ kind: "device", url: "https://example.org/device", code: "AB\x1b[2JCD" });
		expect(frame(view, 80)).toMatchInlineSnapshot(`
		  "
		  ────────────────────────────────────────────────────────────────────────────────
		    To log in to GitHub Copilot, open:

		  https://example.org/device

		    and enter the code ABCD
		    Waiting…
		    c copy URL · esc cancel
		  "
		`);
		const waiting = view.paste(stop.signal);
		stop.abort();
		expect(await waiting).toBeUndefined();
	});
});

test("a login accepts an empty answer only if it says so", async () => {
	const view = new LoginView(testScreen(), "Corp", {
		open: () => false,
		copy: async () => ({ ok: true, viaTerminal: true }),
		hyperlinks: false,
	});
	const { signal } = new AbortController();
	const strict = view.paste(signal);
	press(view, "enter");
	typeInto(view, "x");
	press(view, "enter");
	expect(await strict).toBe("x");
	const lenient = view.paste(signal, { mayBeEmpty: true });
	press(view, "enter");
	expect(await lenient).toBe("");
});

describe("/logout", () => {
	test("lists stored credentials by provider, and removes one after a confirmation", () => {
		const storedLogins = keptCredentials([
			stored({ account: "ada" }),
			stored({ id: "2", kind: "api_key" }),
			stored({ id: "3", provider: "groq", kind: "api_key" }),
		]);
		const forgotten: string[] = [];
		const picker = logoutSelector(testScreen(), {
			logins: () => storedLogins,
			forget: ({ provider }) => void forgotten.push(provider),
			close: () => {},
		});
		expect(frame(picker, 60)).toMatchInlineSnapshot(`
		  "
		  ── Remove stored credentials ──────────────────────── 1/2 ──
		   ❯ Anthropic  ada, key
		     Groq       key

		     enter remove · esc close
		  "
		`);
		press(picker, "down", "enter", "n");
		expect(forgotten).toEqual([]);
		press(picker, "enter", "y");
		expect(forgotten).toEqual(["groq"]);
	});
});
