import { expect, test } from "bun:test";

import { explained } from "./problems.ts";

test("the way to accept an unknown key connects to the same port and user", () => {
	expect(explained("Host key verification failed.", "-p 42229 root@127.0.0.1")).toEndWith(
		"To accept it, connect once with ssh -p 42229 root@127.0.0.1.",
	);
});
