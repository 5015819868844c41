/** The module's address, where a bundler's rules for files make one of the import; `init()` takes it. */
declare const address: string;
export default address;
