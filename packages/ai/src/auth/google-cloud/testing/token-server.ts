/** A token server on loopback, and homes with gcloud's files, shared by the tests of this folder. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { Env } from "@tau/utils";

import { modelAt } from "../../../testing/asking.ts";
import type { Failure } from "../../../types.ts";
import { authorizeGoogleCloud } from "../index.ts";

export interface TokenServer extends AsyncDisposable {
	url: string;
	forms: URLSearchParams[];
	/** Requests whose client disconnected before the answer. */
	abandoned: Promise<void>;
}

type Respond = (form: URLSearchParams, number: number) => Response | Promise<Response>;

export function serveTokens(
	respond: Respond = (_form, number) => token(`token-${number}-of-the-test`),
): TokenServer {
	const forms: URLSearchParams[] = [];
	const { promise: abandoned, resolve } = Promise.withResolvers<void>();
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			request.signal.addEventListener("abort", () => resolve());
			const form = new URLSearchParams(await request.text());
			forms.push(form);
			return respond(form, forms.length);
		},
	});
	return {
		url: `${server.url.origin}/token`,
		forms,
		abandoned,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

export function token(access_token: string, expires_in = 3600): Response {
	return Response.json({ access_token, expires_in, token_type: "Bearer" });
}

export interface Home extends AsyncDisposable {
	path: string;
	/** Only this home, and no metadata server. */
	env: Env;
	write(name: string, content: unknown): Promise<string>;
}

export const gcloudFile = ".config/gcloud/application_default_credentials.json";

export async function makeHome(): Promise<Home> {
	const path = await mkdtemp(join(tmpdir(), "tau-google-"));
	return {
		path,
		env: { HOME: path, GCE_METADATA_HOST: "127.0.0.1:1", GOOGLE_CLOUD_PROJECT: "my-project" },
		async write(name, content) {
			const file = join(path, name);
			await mkdir(dirname(file), { recursive: true });
			await Bun.write(file, typeof content === "string" ? content : JSON.stringify(content));
			return file;
		},
		[Symbol.asyncDispose]: () => rm(path, { recursive: true }),
	};
}

export function userFile(token_uri: string, change: object = {}): object {
	return {
		type: "authorized_user",
		client_id: "the-client.apps.example",
		client_secret: "secret-of-the-client",
		refresh_token: `1//refresh-${crypto.randomUUID()}`,
		token_uri,
		...change,
	};
}

export const vertexUrl =
	"https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google/models/m:x";

export interface Authorized {
	failure: Failure | undefined;
	url: string;
	headers: Headers;
}

export async function authorize(
	env: Env,
	{ apiKey, signal = new AbortController().signal }: { apiKey?: string; signal?: AbortSignal } = {},
): Promise<Authorized> {
	const request = { url: vertexUrl, headers: new Headers(), body: "{}" };
	const context = { model: modelAt("", "google-vertex"), env, signal, ...(apiKey ? { apiKey } : {}) };
	const failure = await authorizeGoogleCloud(request, context);
	return { failure, url: request.url, headers: request.headers };
}
