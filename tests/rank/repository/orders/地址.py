"""地址验证:检查收货地址是否完整。"""


def 验证地址(address):
    """检查邮政编码和城市。"""
    # 调用getCity方法查找城市
    return bool(address.postcode and address.city)
