/** Signs a request with AWS Signature Version 4, in the headers. */

export interface AwsCredentials {
	accessKeyId: string;
	secretAccessKey: string;
	sessionToken?: string;
	/** Milliseconds since the epoch; absent for keys that do not expire. */
	expiresAt?: number;
}

export interface SignableRequest {
	method: string;
	/** The path as sent, without the query. */
	path: string;
	/** The query as sent, without the question mark. */
	query?: string;
	/** The headers to sign, including `host`. */
	headers: Readonly<Record<string, string>>;
	body: string;
}

export interface Signing {
	credentials: AwsCredentials;
	region: string;
	service: string;
	now: Date;
}

const algorithm = "AWS4-HMAC-SHA256";

/** The headers of a signed request; they replace those of the same name. */
export function signatureHeaders(request: SignableRequest, signing: Signing): Record<string, string> {
	const { accessKeyId, secretAccessKey, sessionToken } = signing.credentials;
	const time = signing.now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
	const date = time.slice(0, 8);
	const added: Record<string, string> = { "x-amz-date": time };
	if (sessionToken) added["x-amz-security-token"] = sessionToken;
	const { lines, names } = canonicalHeaders({ ...request.headers, ...added });
	const canonical = [
		request.method,
		canonicalPath(request.path),
		canonicalQuery(request.query ?? ""),
		...lines,
		"",
		names,
		sha256(request.body),
	].join("\n");
	const scope = `${date}/${signing.region}/${signing.service}/aws4_request`;
	const signed = `${algorithm}\n${time}\n${scope}\n${sha256(canonical)}`;
	const key = [date, signing.region, signing.service, "aws4_request"].reduce<string | Uint8Array>(
		(above, part) => hmac(above, part),
		`AWS4${secretAccessKey}`,
	);
	const signature = Buffer.from(hmac(key, signed)).toString("hex");
	return {
		...added,
		authorization: `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
	};
}

/** Percent signs are encoded again: the server signs the encoded path as received (all services but S3). */
function canonicalPath(path: string): string {
	return path.split("/").map(uriEncode).join("/") || "/";
}

function canonicalQuery(query: string): string {
	const pairs = query.split("&").filter((pair) => pair !== "");
	return pairs
		.map((pair): [name: string, value: string] => {
			const equals = pair.indexOf("=");
			const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
			return [uriEncode(uriDecode(name)), uriEncode(uriDecode(value))];
		})
		.toSorted(([a, first], [b, second]) => compare(a, b) || compare(first, second))
		.map((pair) => pair.join("="))
		.join("&");
}

function canonicalHeaders(headers: Readonly<Record<string, string>>): { lines: string[]; names: string } {
	const sorted = Object.entries(headers)
		.map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, " ")] as const)
		.toSorted(([a], [b]) => compare(a, b));
	return {
		lines: sorted.map(([name, value]) => `${name}:${value}`),
		names: sorted.map(([name]) => name).join(";"),
	};
}

/** Compares by code unit, independent of the locale; the names are ASCII by then. */
function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}

/** Encodes all but the unreserved characters of RFC 3986; JavaScript leaves a few more. */
export function uriEncode(text: string): string {
	return encodeURIComponent(text.toWellFormed()).replaceAll(
		/[!'()*]/g,
		(char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}

function uriDecode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		// A lone percent sign is literal, as for a server.
		return text;
	}
}

function sha256(text: string): string {
	return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
	return new Bun.CryptoHasher("sha256", key).update(text).digest();
}
