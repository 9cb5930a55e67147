/** The files of the AWS tools are read as those tools read them. */
import { expect, test } from "bun:test";

import { parseIni } from "./ini.ts";

function read(text: string): Record<string, Record<string, string>> {
	return Object.fromEntries([...parseIni(text)].map(([name, values]) => [name, Object.fromEntries(values)]));
}

test("sections, values, comments and spaces", () => {
	const text = `
# a comment
; another
lost = before any section
[default]
region=eu-central-1
AWS_Secret_Access_Key = a#b;c=d+/   # the rest is a comment
  output = json
[ profile work ]\r
role_arn = arn:aws:iam::1:role/x ; comment\r
nothing
= no name
`;
	expect(read(text)).toEqual({
		default: { region: "eu-central-1", aws_secret_access_key: "a#b;c=d+/", output: "json" },
		"profile work": { role_arn: "arn:aws:iam::1:role/x" },
	});
});

test("what is nested below a value is not taken for a value", () => {
	expect(read("[a]\ns3 =\n  region = nested\n  signature_version = v4\nregion = own\n")).toEqual({
		a: { region: "own" },
	});
});

test("a section that comes twice is one, and the later value counts", () => {
	expect(read("[a]\nx = 1\ny = 1\n[b]\nx = 2\n[a]\nx = 3\n")).toEqual({
		a: { x: "3", y: "1" },
		b: { x: "2" },
	});
});
