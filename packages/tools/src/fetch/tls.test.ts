/** A page over TLS is fetched only if the certificate matches the name. */
import { expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";

needs("openssl")(
	"the certificate must match the name, although the connection goes to an address",
	async () => {
		const folder = mkdtempSync(join(tmpdir(), "tau-tls-"));
		try {
			const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
			const subject = ["-subj", "/CN=played.test", "-addext", "subjectAltName=DNS:played.test"];
			const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
			const made = Bun.spawnSync(
				[
					"openssl",
					"req",
					"-x509",
					...kind,
					"-nodes",
					"-days",
					"2",
					...subject,
					"-keyout",
					key,
					"-out",
					cert,
				],
				{ stderr: "ignore" },
			);
			expect(made.exitCode).toBe(0);
			// Trusted certificates are determined when a process starts.
			const code = `
			import { fetchPage } from ${JSON.stringify(join(import.meta.dir, "fetch-page.ts"))};
			const tls = { key: Bun.file(${JSON.stringify(key)}), cert: Bun.file(${JSON.stringify(cert)}) };
			const server = Bun.serve({ port: 0, tls, fetch: () => new Response("secret") });
			const options = { signal: new AbortController().signal, timeoutMs: 20_000, maxBytes: 1000, allowPrivate: true };
			const resolveName = async () => ["127.0.0.1"];
			const found = [];
			for (const name of ["played.test", "other.test", "127.0.0.1"]) {
				const page = await fetchPage("https://" + name + ":" + server.port + "/", { ...options, resolveName });
				found.push(page.ok ? new TextDecoder().decode(page.bytes) : page.message.replace(/.*: /, ""));
			}
			console.log(JSON.stringify(found));
			await server.stop(true);
		`;
			const child = Bun.spawn([process.execPath, "-e", code], {
				cwd: import.meta.dir,
				env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
				stdout: "pipe",
			});
			const matches: string[] = JSON.parse(await child.stdout.text());
			expect(matches[0]).toBe("secret");
			expect(matches.slice(1)).toEqual(Array(2).fill("ERR_TLS_CERT_ALTNAME_INVALID."));
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	},
);
