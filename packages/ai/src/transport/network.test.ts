/** The network between us and a model: proxies and certificates, both real. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, rootCertificates, type TlsOptions } from "node:tls";
import { needs } from "../../../../test/support/needs.ts";
import { setEnv } from "../testing/asking.ts";
import type { Failure } from "../types.ts";
import { post } from "./index.ts";
import { readTls } from "./tls.ts";

const never = 60_000;
const nothingSet = {
	NO_PROXY: "",
	no_proxy: "",
	HTTP_PROXY: "",
	http_proxy: "",
	HTTPS_PROXY: "",
	https_proxy: "",
	ALL_PROXY: "",
	all_proxy: "",
	NODE_EXTRA_CA_CERTS: "",
	CLAUDE_CODE_CLIENT_CERT: "",
	CLAUDE_CODE_CLIENT_KEY: "",
};

interface Asked {
	failed: Failure | undefined;
	received: string;
}

async function ask(url: string, env: Record<string, string>, firstEventMs = never): Promise<Asked> {
	using _env = setEnv({ ...nothingSet, ...env });
	let received = "";
	const silence = { firstEventMs, idleMs: never };
	const signal = new AbortController().signal;
	const failed = await post({ url, headers: new Headers(), body: "{}", silence, signal }, (chunk) => {
		received += new TextDecoder().decode(chunk);
		return "progress";
	});
	return { failed, received };
}

type Server = AsyncDisposable & { port: number };

async function listen(server: ReturnType<typeof createServer>): Promise<Server> {
	const open = new Set<Socket>();
	for (const event of ["connection", "secureConnection"]) {
		server.on(event, (socket: Socket) => {
			open.add(socket.on("error", () => {}));
		});
	}
	// A refused handshake is what some tests are about.
	server.on("tlsClientError", () => {});
	const { promise, resolve } = Promise.withResolvers<void>();
	server.listen(0, "127.0.0.1", resolve);
	await promise;
	const address = server.address();
	return {
		port: typeof address === "object" && address ? address.port : 0,
		async [Symbol.asyncDispose]() {
			for (const socket of open) socket.destroy();
			server.close();
		},
	};
}

/** A proxy that forwards every request, for any host, to a port of this machine. */
async function proxyTo(
	port: number,
	answer = "HTTP/1.1 200 OK\r\n\r\n",
): Promise<Server & { seen: string[] }> {
	const seen: string[] = [];
	const proxy = createServer((socket) => {
		socket.once("data", (head: Buffer) => {
			seen.push(head.toString());
			const isTunnel = head.toString().startsWith("CONNECT");
			if (!answer.includes("200")) return void socket.end(answer);
			const server = connect(port, "127.0.0.1", () => {
				if (isTunnel) socket.write(answer);
				else server.write(head);
				socket.pipe(server).pipe(socket);
			});
			server.on("error", () => socket.destroy());
		});
	});
	return Object.assign(await listen(proxy), { seen });
}

function plainServer(): Bun.Server<undefined> {
	return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: ({ url }) => new Response(`plain ${url}`) });
}

describe("a proxy", () => {
	test("forwards a request for a server that only it can resolve", async () => {
		await using server = plainServer();
		await using proxy = await proxyTo(server.port ?? 0);
		const { failed, received } = await ask("http://model.test/v1", { HTTP_PROXY: `127.0.0.1:${proxy.port}` });
		expect([failed, received]).toEqual([undefined, "plain http://model.test/v1"]);
		expect(proxy.seen[0]).toStartWith("POST http://model.test/v1 HTTP/1.1");
	});

	test("gets the user and the password of its URL", async () => {
		await using server = plainServer();
		await using proxy = await proxyTo(server.port ?? 0);
		await ask("http://model.test/v1", { ALL_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}` });
		expect(proxy.seen[0]?.toLowerCase()).toContain(
			`proxy-authorization: basic ${btoa("me:p@ss")}`.toLowerCase(),
		);
	});

	test("is not used for servers of this machine, nor for those of NO_PROXY", async () => {
		await using server = plainServer();
		await using proxy = await proxyTo(server.port ?? 0);
		const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: ".invalid" };
		expect((await ask(server.url.href, env)).received).toStartWith("plain");
		const { failed } = await ask("http://model.invalid/", env);
		expect(failed?.message).toBe("Cannot reach model.invalid. Check the address and the network");
		expect(proxy.seen).toEqual([]);
	});

	test.each<[proxy: string, message: string]>([
		["http://me:secret@127.0.0.1:9", "refused by the proxy 127.0.0.1:9 (HTTPS_PROXY)"],
		["http://proxy.invalid:3128", "Cannot reach the proxy proxy.invalid:3128 (HTTPS_PROXY)"],
	])("that does not respond is named: %s", async (address, message) => {
		const { failed } = await ask("https://model.test/v1", { HTTPS_PROXY: address });
		expect(failed?.kind).toBe("network");
		expect(failed?.message).toContain(message);
		expect(failed?.message).not.toContain("secret");
	});

	test.each([
		[403, "invalid_request"],
		[407, "invalid_request"],
		[502, "network"],
	] as const)("that answers %d to a tunnel request is named, as %s", async (status, kind) => {
		await using proxy = await proxyTo(1, `HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
		const { failed } = await ask("https://model.test/v1", { ALL_PROXY: `127.0.0.1:${proxy.port}` });
		expect(failed?.kind).toBe(kind);
		expect(failed?.message).toContain(
			`Cannot reach model.test through the proxy 127.0.0.1:${proxy.port} (ALL_PROXY)`,
		);
		expect(failed?.message).toContain(String(status));
	});

	test("that requires a password is quoted", async () => {
		const answer = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
		await using proxy = await proxyTo(1, answer);
		const { failed } = await ask("http://model.test/v1", { http_proxy: `127.0.0.1:${proxy.port}` });
		expect(failed).toMatchObject({ kind: "invalid_request", status: 407 });
		expect(failed?.message).toStartWith(`From the proxy 127.0.0.1:${proxy.port} (http_proxy)`);
	});

	test("that is silent, or breaks the connection, is named", async () => {
		await using silent = await listen(createServer());
		const waited = await ask("https://model.test/v1", { HTTPS_PROXY: `127.0.0.1:${silent.port}` }, 40);
		expect(waited.failed).toMatchObject({ kind: "timeout" });
		expect(waited.failed?.message).toStartWith(
			`No answer from model.test through the proxy 127.0.0.1:${silent.port}`,
		);
		await using rude = await listen(createServer((socket) => socket.once("data", () => socket.destroy())));
		const cut = await ask("https://model.test/v1", { HTTPS_PROXY: `127.0.0.1:${rude.port}` });
		expect(cut.failed).toMatchObject({ kind: "network" });
		expect(cut.failed?.message).toContain(`through the proxy 127.0.0.1:${rude.port} (HTTPS_PROXY) closed`);
	});

	test("of an unsupported kind is refused before anything is sent", async () => {
		const { failed } = await ask("https://model.test/v1", { ALL_PROXY: "socks5://127.0.0.1:1080" });
		expect(failed).toMatchObject({ kind: "invalid_request" });
		expect(failed?.message).toContain("ALL_PROXY");
	});
});

describe("certificates", () => {
	const secure = needs("openssl");
	const folder = mkdtempSync(join(tmpdir(), "tau-tls-"));
	const path = (name: string): string => join(folder, name);
	const pem = (name: string): string => readFileSync(path(name), "utf8");

	beforeAll(() => {
		if (Bun.which("openssl") !== null) makeCertificates(folder);
	});
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	/** Answers each request on a connection with the name of the client and the number of the connection. */
	function secureServer(issuer: string, options: TlsOptions = {}): Promise<Server> {
		let connections = 0;
		const identity = { key: pem(`${issuer}-server.key`), cert: pem(`${issuer}-server.pem`) };
		const server = createTlsServer({ ...identity, ...options }, (socket) => {
			const number = ++connections;
			socket.on("data", () => {
				const body = `${socket.getPeerCertificate()?.subject?.CN ?? "nobody"} on ${number}`;
				socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
			});
		});
		return listen(server);
	}

	function knowing(): TlsOptions {
		return { ca: pem("one.pem"), requestCert: true, rejectUnauthorized: true };
	}

	secure("of nobody we know fail, with what helps", async () => {
		await using server = await secureServer("one");
		const { failed } = await ask(`https://localhost:${server.port}/`, {});
		expect(failed).toMatchObject({ kind: "invalid_request" });
		expect(failed?.message).toStartWith(`The certificate of localhost:${server.port} is not trusted`);
		expect(failed?.message).toContain("NODE_EXTRA_CA_CERTS");
	});

	secure("of another host fail, and the connection is not used", async () => {
		await using server = await secureServer("one");
		await using proxy = await proxyTo(server.port);
		const env = { NODE_EXTRA_CA_CERTS: path("one.pem"), HTTPS_PROXY: `127.0.0.1:${proxy.port}` };
		const { failed, received } = await ask("https://other.test/", env);
		expect(failed).toMatchObject({ kind: "invalid_request" });
		expect([received, failed?.message]).toEqual([
			"",
			expect.stringContaining("The certificate of other.test"),
		]);
	});

	secure("are trusted by a path, by their text, and by their text on one line", async () => {
		await using server = await secureServer("one");
		for (const value of [path("one.pem"), pem("one.pem"), pem("one.pem").replaceAll("\n", "\\n")]) {
			const { failed, received } = await ask(`https://localhost:${server.port}/`, {
				NODE_EXTRA_CA_CERTS: value,
			});
			expect([failed, received]).toEqual([undefined, expect.stringContaining("nobody on")]);
		}
	});

	secure("that are added do not take the place of the system's", async () => {
		await using first = await secureServer("one");
		await using second = await secureServer("two");
		const [one, two] = [`https://localhost:${first.port}/`, `https://localhost:${second.port}/`];
		const script = `
			import { post } from ${JSON.stringify(join(import.meta.dir, "index.ts"))};
			const silence = { firstEventMs: 9000, idleMs: 9000 };
			const signal = new AbortController().signal;
			for (const url of ${JSON.stringify([one, two])}) {
				const failed = await post({ url, headers: new Headers(), body: "", silence, signal }, () => "progress");
				process.stdout.write(failed?.message ?? "trusted ");
			}`;
		// The system's roots are read only at the start of a process.
		const child = Bun.spawn([process.execPath, "-e", script], {
			env: { SSL_CERT_FILE: path("one.pem"), NODE_EXTRA_CA_CERTS: path("two.pem") },
		});
		expect(await child.stdout.text()).toBe("trusted trusted ");
		const { ca } = await readTls({ NODE_EXTRA_CA_CERTS: path("two.pem") });
		expect(new Set(ca).isSupersetOf(new Set(rootCertificates.map((each) => each.trim())))).toBe(true);
	});

	secure("of our own are shown to a server that wants one", async () => {
		await using server = await secureServer("one", knowing());
		const url = `https://localhost:${server.port}/`;
		const trust = { NODE_EXTRA_CA_CERTS: path("one.pem") };
		expect((await ask(url, trust)).failed).toMatchObject({ kind: "network" });
		const own = { CLAUDE_CODE_CLIENT_CERT: path("client.pem"), CLAUDE_CODE_CLIENT_KEY: pem("client.key") };
		expect(await ask(url, { ...trust, ...own })).toEqual({
			failed: undefined,
			received: expect.stringContaining("client on"),
		});
	});

	secure("go through a proxy's tunnel, and one tunnel serves several requests", async () => {
		await using server = await secureServer("one", knowing());
		await using proxy = await proxyTo(server.port);
		const env = {
			HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
			NODE_EXTRA_CA_CERTS: path("one.pem"),
			CLAUDE_CODE_CLIENT_CERT: path("client.pem"),
			CLAUDE_CODE_CLIENT_KEY: path("client.key"),
		};
		for (const _request of [1, 2]) {
			expect(await ask("https://model.test/v1", env)).toEqual({ failed: undefined, received: "client on 1" });
		}
		expect(proxy.seen).toHaveLength(1);
		expect(proxy.seen[0]).toStartWith("CONNECT model.test:443 HTTP/1.1");
	});

	secure("that cannot be read are named by their variable, before anything is sent", async () => {
		const [cert, key] = ["CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY"];
		writeFileSync(path("not.pem"), "hello");
		const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
		const problems: [env: Record<string, string>, message: string][] = [
			[{ NODE_EXTRA_CA_CERTS: path("none.pem") }, `NODE_EXTRA_CA_CERTS (${path("none.pem")}): ENOENT`],
			[{ NODE_EXTRA_CA_CERTS: folder }, `NODE_EXTRA_CA_CERTS (${folder}): `],
			[{ NODE_EXTRA_CA_CERTS: path("not.pem") }, "it contains no certificate in PEM format"],
			[{ NODE_EXTRA_CA_CERTS: pem("one.pem") + broken }, "NODE_EXTRA_CA_CERTS: certificate 2"],
			[{ [cert ?? ""]: path("client.pem") }, `${cert} is set without ${key}`],
			[{ [key ?? ""]: path("client.key") }, `${key} is set without ${cert}`],
			[
				{ [cert ?? ""]: path("client.pem"), [key ?? ""]: path("one.pem") },
				`${key} (${path("one.pem")}): it contains no private key`,
			],
			[
				{ [cert ?? ""]: path("client.key"), [key ?? ""]: path("client.key") },
				`${cert} (${path("client.key")}): `,
			],
			[{ [cert ?? ""]: path("client.pem"), [key ?? ""]: path("one.key") }, `${key} is not the key of`],
		];
		for (const [env, message] of problems) {
			const { failed } = await ask("https://127.0.0.1:9/", env);
			expect(failed).toMatchObject({ kind: "invalid_request" });
			expect(failed?.message).toContain(message);
			expect(failed?.message).not.toContain("PRIVATE KEY");
		}
	});

	secure("cost a server without TLS nothing, however wrong they are", async () => {
		await using server = plainServer();
		const { failed } = await ask(server.url.href, { NODE_EXTRA_CA_CERTS: "/nowhere.pem" });
		expect(failed).toBeUndefined();
	});

	secure("are read again after a file that was wrong is put right", async () => {
		await using server = await secureServer("one");
		const env = { NODE_EXTRA_CA_CERTS: path("late.pem") };
		expect((await ask(`https://localhost:${server.port}/`, env)).failed?.message).toContain("ENOENT");
		writeFileSync(path("late.pem"), pem("one.pem"));
		expect((await ask(`https://localhost:${server.port}/`, env)).failed).toBeUndefined();
	});
});

/** Two authorities `one` and `two`, each with a server, and a client of `one`. */
function makeCertificates(folder: string): void {
	const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
	const openssl = (...args: string[]): void => {
		const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { cwd: folder });
		if (exitCode !== 0) throw new Error(`openssl ${args[0]}: ${stderr.toString()}`);
	};
	const issue = (issuer: string, name: string): void => {
		openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
		const signer = ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`, "-set_serial", "7"];
		openssl("x509", "-req", "-in", `${name}.csr`, ...signer, "-extfile", "names", "-out", `${name}.pem`);
	};
	writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost,DNS:model.test");
	for (const issuer of ["one", "two"]) {
		const out = ["-keyout", `${issuer}.key`, "-out", `${issuer}.pem`];
		openssl("req", "-x509", ...newKey, ...out, "-subj", `/CN=${issuer}`, "-days", "2");
		issue(issuer, `${issuer}-server`);
	}
	issue("one", "client");
}
