/** What this browser keeps to read without a network, until the user signs out. */
import { limits } from "../limits.ts";
import { SealedStore } from "../store/sealed-store.ts";

export const vault = new SealedStore({
	name: "tau",
	mostRecords: limits.keptRecords,
	mostBytes: limits.keptBytes,
});
