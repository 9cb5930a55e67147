/** Signatures equal those of AWS's published test suite, and of the example in its documentation. */
import { describe, expect, test } from "bun:test";

import { signatureHeaders, uriEncode, type SignableRequest } from "./sigv4.ts";

const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const now = new Date("2015-08-30T12:36:00Z");
const unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const token =
	"AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

function sign(request: Partial<SignableRequest>, sessionToken?: string): string {
	const credentials = {
		accessKeyId: "AKIDEXAMPLE",
		secretAccessKey,
		...(sessionToken ? { sessionToken } : {}),
	};
	const headers = { host: "example.amazonaws.com", ...request.headers };
	return (
		signatureHeaders(
			{ method: "GET", path: "/", body: "", ...request, headers },
			{ credentials, region: "us-east-1", service: "service", now },
		)["authorization"] ?? ""
	);
}

function authorization(names: string, signature: string): string {
	const scope = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";
	return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

describe("the published test suite", () => {
	const plain = "host;x-amz-date";
	const custom = "host;my-header1;x-amz-date";

	test.each<[string, Partial<SignableRequest>, string, string]>([
		["get-vanilla", {}, plain, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
		[
			"get-unreserved",
			{ path: `/${unreserved}` },
			plain,
			"07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
		],
		["get-utf8", { path: "/ሴ" }, plain, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"],
		[
			"get-vanilla-empty-query-key",
			{ query: "Param1=value1" },
			plain,
			"a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
		],
		[
			"get-vanilla-query-order-key-case",
			{ query: "Param2=value2&Param1=value1" },
			plain,
			"b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
		],
		[
			"get-vanilla-query-unreserved",
			{ query: `${unreserved}=${unreserved}` },
			plain,
			"9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
		],
		[
			"get-vanilla-utf8-query",
			{ query: "ሴ=bar" },
			plain,
			"2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
		],
		[
			"get-header-key-duplicate",
			{ headers: { "My-Header1": "value2,value2,value1" } },
			custom,
			"c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
		],
		[
			"get-header-value-multiline",
			{ headers: { "My-Header1": "value1,value2,value3" } },
			custom,
			"ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790",
		],
		[
			"get-header-value-order",
			{ headers: { "My-Header1": "value4,value1,value3,value2" } },
			custom,
			"08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
		],
		[
			"get-header-value-trim",
			{ headers: { "My-Header1": " value1 ", "My-Header2": ' "a   b   c"' } },
			"host;my-header1;my-header2;x-amz-date",
			"acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
		],
		[
			"post-vanilla",
			{ method: "POST" },
			plain,
			"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
		],
		[
			"post-vanilla-query",
			{ method: "POST", query: "Param1=value1" },
			plain,
			"28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
		],
		[
			"post-vanilla-query-nonunreserved",
			{ method: "POST", query: '@#$%^=&+=/,?><`";:\\|][{}' },
			plain,
			"66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e",
		],
		[
			"post-vanilla-query-space",
			{ method: "POST", query: "p=" },
			plain,
			"e71688addb58a26418614085fb730ba3faa623b461c17f48f2fbdb9361b94a9b",
		],
		[
			"post-header-key-sort",
			{ method: "POST", headers: { "My-Header1": "value1" } },
			custom,
			"c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
		],
		[
			"post-header-value-case",
			{ method: "POST", headers: { "My-Header1": "VALUE1" } },
			custom,
			"cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
		],
		[
			"post-x-www-form-urlencoded",
			{
				method: "POST",
				headers: { "content-type": "application/x-www-form-urlencoded" },
				body: "Param1=value1",
			},
			"content-type;host;x-amz-date",
			"ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
		],
		[
			"post-x-www-form-urlencoded-parameters",
			{
				method: "POST",
				headers: { "content-type": "application/x-www-form-urlencoded; charset=utf8" },
				body: "Param1=value1",
			},
			"content-type;host;x-amz-date",
			"1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe",
		],
	])("%s", (_name, request, names, signature) => {
		expect(sign(request)).toBe(authorization(names, signature));
	});

	test("post-sts-header-before", () => {
		const names = "host;x-amz-date;x-amz-security-token";
		const signature = "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead";
		expect(sign({ method: "POST" }, token)).toBe(authorization(names, signature));
	});
});

test("the example of the documentation", () => {
	const headers = signatureHeaders(
		{
			method: "GET",
			path: "/",
			query: "Action=ListUsers&Version=2010-05-08",
			headers: {
				"Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
				Host: "iam.amazonaws.com",
			},
			body: "",
		},
		{
			credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey },
			region: "us-east-1",
			service: "iam",
			now,
		},
	);
	expect(headers).toEqual({
		"x-amz-date": "20150830T123600Z",
		authorization:
			"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
	});
});

test("a query is sorted by its names, then by its values, not by its text", () => {
	// Derived by hand from the rules (`a=1&a=2&a-b=3`) and signed with another implementation.
	const signature = "72151f0188fc13445e4e29a33fc91f7f5ef4b95b9f64070373fe8ca899df9282";
	expect(sign({ query: "a-b=3&a=2&a=1" })).toBe(authorization("host;x-amz-date", signature));
});

test("a session token is sent and signed", () => {
	const credentials = { accessKeyId: "A", secretAccessKey, sessionToken: "a token" };
	const request = { method: "GET", path: "/", headers: { host: "h" }, body: "" };
	const headers = signatureHeaders(request, { credentials, region: "r", service: "s", now });
	expect(headers["x-amz-security-token"]).toBe("a token");
	expect(headers["authorization"]).toContain("SignedHeaders=host;x-amz-date;x-amz-security-token,");
});

test("all characters except the unreserved ones of RFC 3986 are encoded", () => {
	expect(uriEncode(unreserved)).toBe(unreserved);
	expect(uriEncode("a:b/c d!'()*%é\ud800")).toBe("a%3Ab%2Fc%20d%21%27%28%29%2A%25%C3%A9%EF%BF%BD");
});
