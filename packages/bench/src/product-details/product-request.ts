export const productPath = "/business/product/details/";
export const requestTimeoutMs = 5_000;
