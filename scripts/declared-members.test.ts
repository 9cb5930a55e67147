/** The members of a class are read from its declaration: public ones, with the static ones apart. */
import { expect, test } from "bun:test";

import { declaredClasses, declaredInterfaces } from "./declared-members.ts";

const declaration = `
export interface Options {
    notAMember(): void;
}
export declare class Store<T extends object = {}> extends Base implements Disposable {
    private readonly hidden;
    private secret(): void;
    protected inner(): void;
    readonly field: string;
    onChange?: (value: T) => void;
    /**
     * documented(): this is a comment
     */
    constructor(options: Options);
    static create(path: string): Store;
    get size(): number;
    find<K extends keyof T>(key: K, options?: {
        nested(): void;
    }): T[K] | undefined;
    [Symbol.dispose](): void;
    _internal(): void;
}
declare class NotExported {
    method(): void;
}
`;

test("methods and accessors are taken; fields, private members and nested types are not", () => {
	expect(declaredClasses(declaration)).toEqual({
		Store: { methods: ["find", "size"], statics: ["create"] },
	});
});

test("an interface has the members of the class that it was before", () => {
	expect(declaredInterfaces(declaration)).toEqual({ Options: { methods: ["notAMember"], statics: [] } });
});
