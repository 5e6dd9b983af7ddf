package io.varve.store.internal.client;

import software.amazon.awssdk.http.auth.aws.scheme.AwsV4AuthScheme;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.scheme.AuthScheme;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.IdentityProviders;

/** Signature Version 4 by a {@link RequestSigner} instead of the SDK's signer. */
record SigningScheme(HttpSigner<AwsCredentialsIdentity> signer) implements AuthScheme<AwsCredentialsIdentity> {
    static SigningScheme ofOurs() {
        return new SigningScheme(new RequestSigner(AwsV4HttpSigner.create()));
    }

    @Override
    public String schemeId() {
        return AwsV4AuthScheme.SCHEME_ID;
    }

    @Override
    public IdentityProvider<AwsCredentialsIdentity> identityProvider(IdentityProviders providers) {
        return providers.identityProvider(AwsCredentialsIdentity.class);
    }
}
