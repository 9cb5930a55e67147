import { test } from "bun:test";
import { bashProgram } from "./bash-program.ts";
test("p", () => { console.log(bashProgram({ order: "/o", init: undefined, cwd: "/" }).slice(0, 300)); });
