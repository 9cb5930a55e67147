/** A home directory and the services of AWS on loopback: what the tests of this folder share. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Env } from "@tau/utils";

import { credentialsFor } from "./credentials.ts";
import type { AwsCredentials } from "./sigv4.ts";

export interface Seen {
	method: string;
	path: string;
	query: string;
	headers: Headers;
	body: string;
}

export interface Home extends AsyncDisposable {
	/** An environment with this home, and without the machine's own services. */
	env(more?: Env): Env;
	path(name: string): string;
	/** Below `.aws`, unless the name says otherwise. */
	write(name: string, text: string): Promise<string>;
}

export async function makeHome(files: Record<string, string> = {}): Promise<Home> {
	const home = await mkdtemp(join(tmpdir(), "tau-aws-"));
	const made: Home = {
		env: (more = {}) => ({
			HOME: home,
			PATH: process.env["PATH"],
			AWS_EC2_METADATA_DISABLED: "true",
			...more,
		}),
		path: (name) => join(home, ".aws", name),
		async write(name, text) {
			const path = made.path(name);
			await mkdir(dirname(path), { recursive: true });
			await writeFile(path, text);
			return path;
		},
		[Symbol.asyncDispose]: () => rm(home, { recursive: true }),
	};
	for (const [name, text] of Object.entries(files)) await made.write(name, text);
	return made;
}

/** A server that answers by path and remembers who asked. */
export function serve(
	routes: Record<string, (seen: Seen) => Response | Promise<Response>>,
): AsyncDisposable & { url: string; seen: Seen[] } {
	const seen: Seen[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { pathname, search } = new URL(request.url);
			const asked = {
				method: request.method,
				path: pathname,
				query: search.slice(1),
				headers: request.headers,
				body: await request.text(),
			};
			seen.push(asked);
			return (await routes[pathname]?.(asked)) ?? new Response("no such path", { status: 404 });
		},
	});
	return {
		url: server.url.href.replace(/\/$/, ""),
		seen,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

export function stsReply(name: string, expires: string): Response {
	return new Response(`<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleResult>
    <Credentials>
      <AccessKeyId>${name}</AccessKeyId>
      <SecretAccessKey>secret/of+${name}</SecretAccessKey>
      <SessionToken>token-of-${name}==</SessionToken>
      <Expiration>${expires}</Expiration>
    </Credentials>
  </AssumeRoleResult>
</AssumeRoleResponse>`);
}

export function stsCredentials(name: string, expires: string) {
	return {
		accessKeyId: name,
		secretAccessKey: `secret/of+${name}`,
		sessionToken: `token-of-${name}==`,
		expiresAt: Date.parse(expires),
	};
}

export const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

/** What containers and machines answer with; `stsCredentials` of the same name and time is what it says. */
export function agentReply(name: string): Response {
	return Response.json({
		AccessKeyId: name,
		SecretAccessKey: `secret/of+${name}`,
		Token: `token-of-${name}==`,
		Expiration: inAnHour,
	});
}

export function find(env: Env): Promise<AwsCredentials> {
	return credentialsFor(env, "eu-west-1", new AbortController().signal);
}

/** Why there are none. */
export async function refusal(env: Env): Promise<string> {
	const found = await find(env).catch(String);
	if (typeof found === "string") return found;
	throw new Error(`expected no credentials, but found ${found.accessKeyId}`);
}
